import { afterEach, describe, expect, it } from '@jest/globals';
import { startReplicatedRedis, tracked, waitUntil } from '@millrace/storage/testing';
import { FaultBench } from '../support/fault-bench.js';

const track = tracked(afterEach);

const RUNS = 20;
const STEPS = 30;

describe('a master that sentinels name, under load', () => {
  it('kill -9 of the master: every run ends right on the one that takes its place, no process ends', async () => {
    const redis = await track(startReplicatedRedis());
    const bench = await FaultBench.on(redis, track, { partitions: 4 });
    const workers = [await bench.worker({ options: { lease: '15s' } }), await bench.worker({ options: { lease: '15s' } })];
    const runIds = await Promise.all(Array.from({ length: RUNS }, () => bench.submit('chain', { steps: STEPS })));
    await redis.replicated();
    await waitUntil({ name: 'a third of the steps' }, async () => (await bench.ledger({ event: 'leave' })).length >= (RUNS * STEPS) / 3);
    await redis.loseMaster();

    const heads = await Promise.all(runIds.map((runId) => bench.ended(runId, 60_000)));
    const sum = (STEPS * (STEPS - 1)) / 2;
    expect(heads.map(({ status, output }) => [status, bench.decode(output)])).toEqual(heads.map(() => ['completed', sum]));
    // Steps whose confirmation the failover lost were entered again; none was left out.
    const entered = new Set((await bench.ledger({ event: 'enter' })).map(({ run, step }) => `${run} ${step}`));
    expect(entered.size).toBe(RUNS * STEPS);
    expect(workers.map(({ isAlive }) => isAlive)).toEqual([true, true]);
    expect(workers.flatMap(({ said }) => said.filter(({ type }) => type === 'unhandled-rejection'))).toEqual([]);
    await bench.audit();
  });
});
