import { afterEach, describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { startFaultProxy, startRedis, tracked } from '../testing/index.js';
import { Bench, only, type Held } from '../testing/conformance/bench.js';
import { openRedisHarness, sharedRedisUrl, type RedisHarness } from '../testing/conformance/redis-harness.js';
import { RedisCallError } from './connection/failures.js';
import { scripts } from './scripts.generated.js';

const track = tracked(afterEach);

async function evalCalls(raw: Redis): Promise<number> {
  return Number(/cmdstat_evalsha:calls=(\d+)/.exec(await raw.info('commandstats'))?.[1] ?? 0);
}

async function startMany(bench: Bench, count: number): Promise<Held[]> {
  await bench.runs.submit(Array.from({ length: count }, () => bench.submission()));
  const delivered = await bench.deliverAll();
  const answers = await bench.runs.claim(delivered.map((activation) => bench.claimRequest(activation)));
  return answers.map((answer) => {
    if (answer.kind !== 'claimed') throw new Error(`the claim was ${answer.kind}`);
    return { ...answer.head };
  });
}

/** One commit a run, each its own call, all in one turn. */
function commitAll(bench: Bench, held: readonly Held[], over: Parameters<Bench['change']>[1] = {}) {
  return Promise.allSettled(held.map((one) => bench.runs.commit([bench.change(one, over)]).then(only)));
}

describe('calls of one turn', () => {
  it('travel together, at most 100 in one, and a call alone travels as it is', async () => {
    const server = await track(startRedis({}));
    const harness = await track(openRedisHarness({ url: server.url, partitions: 16 }));
    const bench = new Bench(harness);
    const held = await startMany(bench, 250);
    // Loads the scripts.
    await commitAll(bench, held.slice(0, 2));
    await bench.commit(held[2] as Held);

    const before = await evalCalls(harness.raw);
    const answers = await commitAll(bench, held.slice(3));
    expect(answers.every((answer) => answer.status === 'fulfilled' && answer.value === 'ok')).toBe(true);
    expect((await evalCalls(harness.raw)) - before).toBe(3);

    const alone = harness.raw.config('RESETSTAT');
    await alone;
    await bench.commit({ ...(held[2] as Held), revision: 1 });
    expect(await evalCalls(harness.raw)).toBe(1);
  });

  it('are split where one call would be larger than 300,000 characters', async () => {
    const server = await track(startRedis({}));
    const harness = await track(openRedisHarness({ url: server.url, partitions: 1 }));
    const bench = new Bench(harness);
    const held = await startMany(bench, 5);
    await commitAll(bench, held.slice(0, 3));
    await bench.commit(held[4] as Held);
    const before = await evalCalls(harness.raw);
    const values = [10, 100_000, 190_000, 400_000];
    await Promise.all(
      values.map((size, i) => {
        const one = held[i] as Held;
        const change = { writes: [['5', 'x'.repeat(size)] as const], revision: i < 3 ? 1 : 0 };
        return bench.runs.commit([bench.change(one, change)]);
      }),
    );
    // Three together, the large one alone.
    expect((await evalCalls(harness.raw)) - before).toBe(2);
    const lengths = held.slice(0, 4).map(({ runId }) => harness.raw.hstrlen(harness.keys.run(runId), '5'));
    expect(await Promise.all(lengths)).toEqual(values);
  });
});

describe('a batch whose answers are large', () => {
  it('answers 1 MiB at most; who is left over is answered alone', async () => {
    const server = await track(startRedis({}));
    const harness = await track(openRedisHarness({ url: server.url, partitions: 1 }));
    const bench = new Bench(harness);
    const input = JSON.stringify('x'.repeat(300_000));
    for (let n = 0; n < 12; n += 1) await bench.submit({ input });
    const delivered = await bench.deliverAll();
    // Loads the scripts.
    await bench.claim(delivered[0]!);
    await harness.raw.config('RESETSTAT');
    const answers = await bench.runs.claim(delivered.slice(1).map((activation) => bench.claimRequest(activation)));
    expect(answers.map((answer) => answer.kind === 'claimed' && answer.head.input === input)).toEqual(Array(11).fill(true));
    // Four fill the answer of the batch, the other seven come one by one (and the batch script was loaded).
    expect(await evalCalls(harness.raw)).toBe(1 + 7 + 1);
  });

  it('holds 1,000 arguments at most', async () => {
    const harness = await track(openRedisHarness({ partitions: 1 }));
    const bench = new Bench(harness);
    const held = await startMany(bench, 12);
    const writes = Array.from({ length: 100 }, (_, i) => [i.toString(36), 'v'] as const);
    const answers = await commitAll(bench, held, { writes });
    expect(answers.map((answer) => answer.status === 'fulfilled' && answer.value)).toEqual(Array(12).fill('ok'));
    const lengths = await Promise.all(held.map(({ runId }) => harness.raw.hget(harness.keys.run(runId), '2r')));
    expect(new Set(lengths)).toEqual(new Set(['v']));
  });
});

describe('closing the storage', () => {
  it('waits for what was called in the same turn', async () => {
    const harness = await track(openRedisHarness({ partitions: 1 }));
    const bench = new Bench(harness);
    const submitted = harness.second.runs.submit([bench.submission({ runId: 'last' })]);
    await harness.second.close();
    expect(only(await submitted).outcome).toBe('created');
    expect(await bench.head('last')).toMatchObject({ status: 'queued' });
  });
});

describe('a member of a batch that cannot be carried out', () => {
  async function start(): Promise<{ harness: RedisHarness; bench: Bench; held: Held[] }> {
    const harness = await track(openRedisHarness({ partitions: 1 }));
    const bench = new Bench(harness);
    return { harness, bench, held: await startMany(bench, 6) };
  }

  it('concerns itself alone: fenced, behind, missing or of another type', async () => {
    const { harness, bench, held } = await start();
    const [fenced, behind, missing, spoiled, well, alsoWell] = held as [Held, Held, Held, Held, Held, Held];
    await harness.raw.del(harness.keys.run(missing.runId), harness.keys.run(spoiled.runId));
    await harness.raw.set(harness.keys.run(spoiled.runId), 'no record');
    const members = [well, { ...fenced, token: '9.somebody' }, { ...behind, revision: 7 }, missing, spoiled, alsoWell];
    const answers = await commitAll(bench, members, { writes: [['0', 'value']] });
    expect(answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : answer.reason))).toEqual([
      'ok',
      'lost',
      'stale',
      'lost',
      'lost',
      'ok',
    ]);
    const written = await Promise.all(held.map(({ runId }) => bench.first.inspector.getRun(runId)));
    expect(written.map((head) => head?.revision ?? null)).toEqual([0, 0, null, null, 1, 1]);
  });

  it('fails with its own error, and stops no member behind it', async () => {
    const { harness, bench, held } = await start();
    const broken = { ...bench.lane, workflow: 'broken' };
    const other = await bench.start({ lane: broken });
    const completed = harness.keys.index(0, 'broken', 'completed');
    await harness.raw.set(completed, 'no index');
    const [first, second] = held as [Held, Held];
    const answers = await commitAll(bench, [first, other, second], { then: { kind: 'end', status: 'completed' } });
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    const failed = answers[1] as PromiseRejectedResult;
    expect(failed.reason).toBeInstanceOf(RedisCallError);
    expect(failed.reason).toMatchObject({ call: 'end', code: 'WRONGTYPE' });
    const statuses = await Promise.all([first, other, second].map(async ({ runId }) => (await bench.head(runId)).status));
    expect(statuses).toEqual(['completed', 'running', 'completed']);

    // Mended by hand, it ends as any other.
    await harness.raw.del(completed);
    await bench.end(other);
  });

  it('different changes of different runs go together, each by its own rules', async () => {
    const { bench, held } = await start();
    const [parked, released, ended, continued] = held as [Held, Held, Held, Held];
    const submitted = bench.submission();
    const [answers, submission] = await Promise.all([
      Promise.all([
        bench.commit(parked, { then: { kind: 'park', inbox: parked.inbox, wakeAt: null } }),
        bench.commit(released, { then: { kind: 'release', bits: bench.bits() } }),
        bench.commit(ended, { then: { kind: 'end', status: 'failed', error: 'e' } }),
        bench.commit(continued, { writes: [['0', 'x']] }),
      ]),
      bench.runs.submit([submitted]),
    ]);
    expect(answers).toEqual(['ok', 'ok', 'ok', 'ok']);
    expect(only(submission).outcome).toBe('created');
    const statuses = await Promise.all([parked, released, ended, continued, submitted].map(({ runId }) => bench.head(runId)));
    expect(statuses.map(({ status }) => status)).toEqual(['waiting', 'queued', 'failed', 'running', 'queued']);
  });
});

describe('a batch whose connection breaks', () => {
  it('is applied once, whatever of it was applied before', async () => {
    const proxy = await track(startFaultProxy({ target: { port: Number(new URL(sharedRedisUrl()).port) } }));
    const harness = await track(openRedisHarness({ partitions: 1, first: { url: proxy.url } }));
    const bench = new Bench(harness);
    const held = await startMany(bench, 50);
    const fault = proxy.dropReplies((request) => request.includes(scripts.batch.sha1), { times: 2 });
    const answers = await commitAll(bench, held, { writes: [['0', 'x']] });
    expect(answers.every((answer) => answer.status === 'fulfilled' && answer.value === 'ok')).toBe(true);
    const revisions = await Promise.all(held.map(async ({ runId }) => (await bench.head(runId)).revision));
    expect([fault.count, ...new Set(revisions)]).toEqual([2, 1]);
  });
});
