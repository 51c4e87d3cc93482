import { describe, expect, it } from '@jest/globals';
import { StoreUnavailable, systemRandomness } from '@millrace/durable';
import { StoreKeys } from './keys.js';
import { Pump } from './pump.js';
import type { RunScripts } from './run-scripts.js';

const request = { limit: 10, activationBudget: 5, setAsideError: '{}' };

/** Two servers, one partition each; those named do not answer. */
function pumpOf(...away: readonly number[]): Pump {
  const script = async ({ partition }: { readonly partition: number }) => {
    if (away.includes(partition)) throw new StoreUnavailable('due');
    return [1_000 + partition, partition === 0 ? '5000' : '4000', []];
  };
  const caller = { topology: { groups: [[0], [1]] }, script };
  return new Pump({ caller, keys: new StoreKeys('test', 2) } as unknown as RunScripts, systemRandomness);
}

describe('Pump', () => {
  it('goes on with the servers that answer', async () => {
    expect(await pumpOf().pump(request)).toMatchObject({ now: 1_000, nextWakeAt: 4_000 });
    expect(await pumpOf(1).pump(request)).toMatchObject({ now: 1_000, nextWakeAt: 5_000 });
  });

  it('fails when none answers', async () => {
    await expect(pumpOf(0, 1).pump(request)).rejects.toThrow(StoreUnavailable);
  });
});
