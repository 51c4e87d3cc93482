import { describe, expect, it } from '@jest/globals';
import { useBench } from '../testing/conformance/bench.js';
import { openRedisHarness, type RedisHarness } from '../testing/conformance/redis-harness.js';

describe('a repeated cancel request', () => {
  const bench = useBench(() => openRedisHarness({ partitions: 1 }));
  const harness = (): RedisHarness => bench().harness as RedisHarness;

  it('is answered as the first time, also when the owner ended the run in the millisecond of the request', async () => {
    const held = await bench().start();
    expect(await bench().cancel(held.runId, 'request-1')).toBe('cancelling');
    await bench().end(held, { status: 'cancelled' });
    const key = harness().keys.run(held.runId);
    await harness().raw.hset(key, 'X', `request-1 ${await harness().raw.hget(key, 'E')} no longer wanted`);
    expect(await bench().cancel(held.runId, 'request-1')).toBe('cancelling');
  });

  it('is answered as the first time, whatever its instants say', async () => {
    const { run } = await bench().submit();
    expect(await bench().cancel(run.runId, 'request-1')).toBe('cancelled');
    await harness().raw.hset(harness().keys.run(run.runId), 'E', '1');
    expect(await bench().cancel(run.runId, 'request-1')).toBe('cancelled');
  });

  it('is not taken for another one whose id ends alike', async () => {
    const held = await bench().start();
    await bench().cancel(held.runId, 'a.request');
    await bench().end(held, { status: 'cancelled' });
    expect(await bench().cancel(held.runId, 'request')).toBe('closed');
  });
});
