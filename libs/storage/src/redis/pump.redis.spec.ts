import { afterEach, describe, expect, it } from '@jest/globals';
import { systemRandomness } from '@millrace/durable';
import { tracked } from '../testing/index.js';
import { Bench } from '../testing/conformance/bench.js';
import { openRedisHarness, sharedRedisUrl, type RedisHarness } from '../testing/conformance/redis-harness.js';
import { resolveConfig } from './connection/configuration.js';
import { RedisCaller } from './connection/redis-caller.js';
import { SingleTopology } from './connection/single-topology.js';
import { moveRun } from './pump.js';
import { RunScripts } from './run-scripts.js';

const track = tracked(afterEach);
const request = { activationBudget: 5, setAsideError: 'error: killed its workers' };

describe('what a look at the lists named is looked at again', () => {
  async function open(): Promise<{ bench: Bench; harness: RedisHarness; runScripts: RunScripts }> {
    const harness = await track(openRedisHarness({ partitions: 1 }));
    const config = resolveConfig({ url: sharedRedisUrl() });
    const topology = await track(Promise.resolve(new SingleTopology(config, 1)));
    return { harness, bench: new Bench(harness), runScripts: new RunScripts(new RedisCaller(topology, config), harness.keys) };
  }

  it('sweep-recheck: a claim whose lease came back since is left alone', async () => {
    const { bench, runScripts } = await open();
    const held = await bench.startLapsed();
    await bench.runs.heartbeat({ claims: [held], leaseMs: 60_000 });
    const move = { script: 'bury', runId: held.runId, lane: held.lane, request, further: [''] } as const;
    expect(await moveRun(runScripts, systemRandomness, move)).toEqual({ status: 'nothing', activation: null });
    expect(await bench.head(held.runId)).toMatchObject({ status: 'running', token: held.token, deadClaims: 0 });
  });

  it('sweep-recheck: a claim that another pump has buried since is not buried again', async () => {
    const { bench, runScripts } = await open();
    const held = await bench.startLapsed();
    await bench.pump();
    const move = { script: 'bury', runId: held.runId, lane: held.lane, request, further: [''] } as const;
    expect(await moveRun(runScripts, systemRandomness, move)).toEqual({ status: 'nothing', activation: null });
    expect(await bench.head(held.runId)).toMatchObject({ status: 'queued', deadClaims: 1 });
  });

  it('sweep-recheck: a claim that another incarnation has made since is not taken back', async () => {
    const { bench, runScripts } = await open();
    const held = await bench.start({}, { owner: 'worker-2' });
    const move = { script: 'bury', runId: held.runId, lane: held.lane, request, further: ['worker-1'] } as const;
    expect(await moveRun(runScripts, systemRandomness, move)).toEqual({ status: 'nothing', activation: null });
    expect(await bench.head(held.runId)).toMatchObject({ owner: 'worker-2', token: held.token });
  });

  it('sweep-recheck: a timer that was set to a later instant since does not fire', async () => {
    const { bench, runScripts, harness } = await open();
    const held = await bench.start();
    const wakeAt = (await bench.runs.now()) + 60_000;
    await bench.park(held, { wakeAt });
    await harness.raw.zadd(harness.keys.timers(0), 1, held.runId);
    const move = { script: 'fire', runId: held.runId, lane: held.lane, request, further: [] } as const;
    expect(await moveRun(runScripts, systemRandomness, move)).toEqual({ status: 'nothing', activation: null });
    expect(await harness.raw.zscore(harness.keys.timers(0), held.runId)).toBe(String(wakeAt));
  });

  it('takes a run without a record, and a lane that is none, out of its list', async () => {
    const { bench, harness } = await open();
    const held = await bench.startLapsed();
    await harness.raw.hset(harness.keys.run(held.runId), 'L', 'no lane');
    await harness.raw.zadd(harness.keys.leases(0), 1, 'gone');
    await harness.raw.zadd(harness.keys.timers(0), 1, 'gone');
    expect(await bench.pump()).toMatchObject({ activations: [], buried: 0, fired: 0, setAside: [] });
    expect(await harness.raw.zcard(harness.keys.leases(0))).toBe(0);
    expect(await harness.raw.zcard(harness.keys.timers(0))).toBe(0);
  });
});
