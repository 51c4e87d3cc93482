import { afterEach, describe, expect, it } from '@jest/globals';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { rawCommand, tracked } from '@millrace/storage/testing';
import { FaultBench } from '../support/fault-bench.js';
import type { FixtureProcess } from '../support/fixture-process.js';

const track = tracked(afterEach);

interface Cost {
  readonly scripts: number;
  readonly bytesIn: number;
  readonly aofBytes: number;
  readonly calls: ReadonlyMap<string, number>;
}

async function info(bench: FaultBench, section: string): Promise<string> {
  return String(await rawCommand({ port: bench.redis.port }, 'INFO', section));
}

async function measure(bench: FaultBench): Promise<Cost> {
  const calls = new Map(
    [...(await info(bench, 'commandstats')).matchAll(/cmdstat_([^:]+):calls=(\d+)/g)].map(([, name, count]) => [
      String(name),
      Number(count),
    ]),
  );
  const bytesIn = Number(/total_net_input_bytes:(\d+)/.exec(await info(bench, 'stats'))?.[1]);
  const folder = join(bench.redis.dir, 'appendonlydir');
  const sizes = await Promise.all((await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size));
  return { scripts: calls.get('evalsha') ?? 0, bytesIn, aofBytes: sizes.reduce((a, b) => a + b, 0), calls };
}

/** What one run of `steps` tiny steps costs at the server, all in: submit, delivery, claim, commits, end, and a worker's background. */
async function costOf(bench: FaultBench, worker: FixtureProcess, steps: number): Promise<Cost> {
  const before = await measure(bench);
  const runId = await bench.submit('tiny', { steps }, `01JABCDEFGHJKMNPQRSTV${String(steps).padStart(5, '0')}`);
  // The worker says when it has ended: a question to Redis would be counted.
  await worker.hears('run.ended', (line) => line['runId'] === runId, 60_000);
  const after = await measure(bench);
  const calls = new Map([...after.calls].map(([name, count]) => [name, count - (before.calls.get(name) ?? 0)]));
  return {
    scripts: after.scripts - before.scripts,
    bytesIn: after.bytesIn - before.bytesIn,
    aofBytes: after.aofBytes - before.aofBytes,
    calls,
  };
}

describe('the cost of a step, counted at the server', () => {
  it('is one script, ≤ 250 bytes in and ≤ 200 bytes of AOF, whatever came before', async () => {
    // The name of the namespace is in every key: bytes are counted with the product's default.
    const bench = await FaultBench.open(track, { namespace: 'default' });
    // One worker with its background as rare as it may be, so that counts are those of the run.
    const worker = await bench.worker({ options: { pump: '10s', block: '30s', lease: '60s', heartbeat: '20s', reclaimIdle: '60s' } });
    await costOf(bench, worker, 10);
    const costs = new Map<number, Cost>();
    for (const steps of [100, 1_000, 5_000]) costs.set(steps, await costOf(bench, worker, steps));

    const thousand = costs.get(1_000) as Cost;
    expect(thousand.scripts).toBeLessThanOrEqual(1_020);
    expect(thousand.calls.get('hset')).toBeLessThanOrEqual(1_020);
    const touched = [...thousand.calls].filter(([, count]) => count > 20).map(([name]) => name);
    expect(touched.sort()).toEqual(['evalsha', 'hmget', 'hset']);

    // The difference of two lengths is the cost of steps alone.
    const perStep = (from: number, to: number, of: (cost: Cost) => number) =>
      (of(costs.get(to) as Cost) - of(costs.get(from) as Cost)) / (to - from);
    const early = { bytesIn: perStep(100, 1_000, (cost) => cost.bytesIn), aofBytes: perStep(100, 1_000, (cost) => cost.aofBytes) };
    const late = { bytesIn: perStep(1_000, 5_000, (cost) => cost.bytesIn), aofBytes: perStep(1_000, 5_000, (cost) => cost.aofBytes) };
    for (const cost of [early, late]) {
      expect(cost.bytesIn).toBeLessThanOrEqual(250);
      expect(cost.aofBytes).toBeLessThanOrEqual(200);
    }
    expect(Math.abs(late.bytesIn / early.bytesIn - 1)).toBeLessThan(0.05);
    expect(Math.abs(late.aofBytes / early.aofBytes - 1)).toBeLessThan(0.05);
    await worker.kill();
  });
});
