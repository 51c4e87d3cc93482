import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { encodeEntry, entryField } from '@millrace/durable';
import { startRedis, tracked, type RedisServer } from '../testing/index.js';
import { Bench, type Held } from '../testing/conformance/bench.js';
import { openRedisHarness, type RedisHarness } from '../testing/conformance/redis-harness.js';

const track = tracked(afterEach);

/** A run id of 26, names of 8 and results of 24 bytes: what the cost model calls a tiny step. */
const RUN_ID = '01JABCDEFGHJKMNPQRSTVWXYZ0';
const RESULT = JSON.stringify('0123456789abcdefghijkl');

function completed(number: number): string {
  const [startedAfter, endedAfter] = [number * 40, number * 40 + 37];
  const outcome = { handover: number + 1, revision: number + 2, used: 1, interruptions: 0, payload: RESULT };
  return encodeEntry({ kind: 'step', state: 'completed', name: 'step-one', key: null, startedAfter, endedAfter, ...outcome }, number);
}

function opened(number: number): string {
  const nothingYet = { endedAfter: 0, handover: 0, revision: 0, used: 1, interruptions: 0, payload: null };
  return encodeEntry({ kind: 'step', state: 'open', name: 'step-one', key: null, startedAfter: number * 40, ...nothingYet }, number);
}

/** Confirms steps one after the other, each commit with the result of one and the opening of the next. */
async function confirmSteps(bench: Bench, held: Held, count: number): Promise<void> {
  for (let done = 0; done < count; done += 1) {
    const number = held.revision;
    await bench.apply(held, {
      writes: [
        [entryField(number), completed(number)],
        [entryField(number + 1), opened(number + 1)],
      ],
      opens: true,
    });
  }
}

interface Meter {
  readonly bytesIn: number;
  readonly aofBytes: number;
  readonly calls: ReadonlyMap<string, number>;
}

async function readMeter({ raw }: RedisHarness, server: RedisServer): Promise<Meter> {
  const stats = await raw.info('stats');
  const commands = await raw.info('commandstats');
  const folder = join(server.dir, 'appendonlydir');
  return {
    bytesIn: Number(/total_net_input_bytes:(\d+)/.exec(stats)?.[1]),
    aofBytes: readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0),
    calls: new Map([...commands.matchAll(/cmdstat_([^:]+):calls=(\d+)/g)].map(([, name = '', calls]) => [name, Number(calls)])),
  };
}

function callsBetween(before: Meter, after: Meter): Record<string, number> {
  const names = [...after.calls.keys()].filter((name) => !['info', 'ping'].includes(name));
  return Object.fromEntries(
    names.map((name) => [name, (after.calls.get(name) ?? 0) - (before.calls.get(name) ?? 0)]).filter(([, calls]) => calls !== 0),
  );
}

describe('cost of a commit in a sequence of tiny steps', () => {
  async function openMetered(): Promise<{ harness: RedisHarness; server: RedisServer; bench: Bench; held: Held }> {
    const server = await track(startRedis({ appendfsync: 'no' }));
    const harness = await track(openRedisHarness({ url: server.url, namespace: 'millrace' }));
    const bench = new Bench(harness);
    return { harness, server, bench, held: await bench.start({ runId: RUN_ID }) };
  }

  it('is one call with one writing command, at most 250 bytes in and 200 in the append-only file', async () => {
    const { harness, server, bench, held } = await openMetered();
    await confirmSteps(bench, held, 10);
    const before = await readMeter(harness, server);
    await confirmSteps(bench, held, 1_000);
    const after = await readMeter(harness, server);
    expect(callsBetween(before, after)).toEqual({ evalsha: 1_000, hmget: 1_000, hset: 1_000 });
    expect((after.bytesIn - before.bytesIn) / 1_000).toBeLessThanOrEqual(250);
    expect((after.aofBytes - before.aofBytes) / 1_000).toBeLessThanOrEqual(200);
  }, 60_000);

  it('does not grow with the steps that were confirmed before', async () => {
    const { harness, server, bench, held } = await openMetered();
    await confirmSteps(bench, held, 100);
    const early = [await readMeter(harness, server), await confirmSteps(bench, held, 100), await readMeter(harness, server)] as const;
    await confirmSteps(bench, held, 4_800);
    const late = [await readMeter(harness, server), await confirmSteps(bench, held, 100), await readMeter(harness, server)] as const;
    const spent = ([before, , after]: typeof early, of: 'bytesIn' | 'aofBytes'): number => after[of] - before[of];
    expect(spent(late, 'bytesIn')).toBeLessThanOrEqual(spent(early, 'bytesIn') * 1.05);
    expect(spent(late, 'aofBytes')).toBeLessThanOrEqual(spent(early, 'aofBytes') * 1.05);
  }, 60_000);

  it('resets the row of dead claims in the same writing command', async () => {
    const { harness, server, bench, held } = await openMetered();
    await confirmSteps(bench, held, 1);
    await harness.raw.hset(harness.keys.run(RUN_ID), 'K', '2');
    const before = await readMeter(harness, server);
    await confirmSteps(bench, held, 1);
    const calls = callsBetween(before, await readMeter(harness, server));
    expect(calls).toEqual({ evalsha: 1, hmget: 1, hset: 1 });
    expect((await bench.head(RUN_ID)).deadClaims).toBe(0);
  });
});

describe('cost of the other calls', () => {
  it('an idle namespace costs a pump one call, and a read of its lanes one', async () => {
    const server = await track(startRedis());
    const harness = await track(openRedisHarness({ url: server.url, namespace: 'millrace' }));
    const bench = new Bench(harness);
    const reader = bench.reader();
    await reader.read(10);
    await bench.pump();
    const before = await readMeter(harness, server);
    await bench.pump();
    await reader.read(10);
    const calls = callsBetween(before, await readMeter(harness, server));
    await reader.close();
    expect(calls['evalsha']).toBe(2);
  });

  it('a submission costs its input and at most 400 bytes', async () => {
    const server = await track(startRedis());
    const harness = await track(openRedisHarness({ url: server.url, namespace: 'millrace' }));
    const bench = new Bench(harness);
    await bench.submit({ runId: '01JABCDEFGHJKMNPQRSTVWXYZ1' });
    const input = JSON.stringify('x'.repeat(1_000));
    const earlier = await readMeter(harness, server);
    const before = await readMeter(harness, server);
    await bench.submit({ runId: RUN_ID, input, digest: 'd'.repeat(22) });
    const after = await readMeter(harness, server);
    expect(callsBetween(before, after)['evalsha']).toBe(1);
    const metering = before.bytesIn - earlier.bytesIn;
    expect(after.bytesIn - before.bytesIn - metering - input.length).toBeLessThanOrEqual(400);
  });

  it('many heartbeats are one call for all partitions', async () => {
    const server = await track(startRedis());
    const harness = await track(openRedisHarness({ url: server.url, namespace: 'millrace' }));
    const bench = new Bench(harness);
    const claims: Held[] = [];
    for (let started = 0; started < 40; started += 1) claims.push(await bench.start());
    await bench.runs.heartbeat({ claims: claims.slice(0, 1), leaseMs: 60_000 });
    const before = await readMeter(harness, server);
    expect(await bench.runs.heartbeat({ claims, leaseMs: 60_000 })).toMatchObject({ lost: [], moved: [] });
    expect(callsBetween(before, await readMeter(harness, server))['evalsha']).toBe(1);
  });
});
