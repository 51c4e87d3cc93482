import { describe, expect, it } from '@jest/globals';
import { headOf } from '../testing/worker/sample-runs.js';
import { workerParts } from '../testing/worker/worker-parts.js';
import { ClaimWatch } from './claim-watch.js';

describe('ClaimWatch', () => {
  it('fences a claim within a quarter of a second after its deadline, without a heartbeat', async () => {
    const { held, clock, random, log } = workerParts();
    const watch = new ClaimWatch({ held, clock, random, emit: log.emit });
    watch.start();
    held.adopt(headOf('r'), clock.monotonic());
    await clock.advanceInTurns(4999);
    expect(held.size).toBe(1);
    await clock.advanceInTurns(251);
    await log.waitFor('claim.lost', 'r');
    expect(held.size).toBe(0);
    await watch.stop();
  });

  it('starts and stops a hundred times', async () => {
    const { held, clock, random, log } = workerParts();
    let checks = 0;
    const watch = new ClaimWatch({ held: { check: () => (checks += 1) }, clock, random, emit: log.emit });
    for (let round = 1; round <= 100; round++) {
      watch.start();
      watch.start();
      await clock.advanceInTurns(250);
      await Promise.all([watch.stop(), watch.stop()]);
      expect([checks, clock.pendingCount]).toEqual([round, 0]);
    }
    expect(held.size).toBe(0);
  });
});
