import { afterEach, describe, expect, it } from '@jest/globals';
import type { DurableEvent, RunEvent } from '@millrace/durable';
import { startRedis, tracked, waitUntil } from '../testing/index.js';
import { Bench } from '../testing/conformance/bench.js';
import { openRedisHarness, type RedisHarness } from '../testing/conformance/redis-harness.js';

const track = tracked(afterEach);

async function openOnOwnServer(emit?: (event: DurableEvent) => void): Promise<{ harness: RedisHarness; bench: Bench }> {
  const server = await track(startRedis());
  const harness = await track(openRedisHarness({ url: server.url, first: { emit } }));
  return { harness, bench: new Bench(harness) };
}

async function killConnections({ raw }: RedisHarness, type: 'normal' | 'pubsub'): Promise<void> {
  await raw.call('CLIENT', 'KILL', 'TYPE', type, 'SKIPME', 'yes');
}

describe('after a lost connection', () => {
  it('bells ring again', async () => {
    const { harness, bench } = await openOnOwnServer();
    const rung = new Set<string>();
    const bell = await harness.first.bells.listen('w1', (runId) => rung.add(runId));
    await killConnections(harness, 'pubsub');
    const subscribed = async (): Promise<boolean> =>
      String(await harness.raw.call('PUBSUB', 'NUMSUB', `${harness.keys.namespace}:bell:w1`)).endsWith(',1');
    await waitUntil({ name: 'the subscription to be back' }, subscribed);
    const held = await bench.start({}, { owner: 'w1' });
    await bench.cancel(held.runId);
    await waitUntil({ name: 'the bell' }, () => rung.has(held.runId));
    await bell.close();
  });

  it('the feed goes on where it was, and says that it failed and recovered', async () => {
    const emitted: DurableEvent[] = [];
    const { harness, bench } = await openOnOwnServer((event) => emitted.push(event));
    const seen: RunEvent[] = [];
    const watch = await harness.first.inspector.watch((event) => seen.push(event));
    const { run: before } = await bench.submit({}, bench.second);
    await waitUntil({ name: 'the first event' }, () => seen.length === 1);
    await killConnections(harness, 'normal');
    const { run: after } = await bench.submit({}, bench.second);
    await waitUntil({ name: 'the second event' }, () => seen.length === 2);
    expect(seen).toEqual([before, after].map(({ runId }) => ({ runId, status: 'queued' })));
    const { run: last } = await bench.submit({}, bench.second);
    await waitUntil({ name: 'the third event' }, () => seen.some(({ runId }) => runId === last.runId));
    expect(emitted).toMatchObject([
      { type: 'loop.failed', loop: 'event-feed', error: expect.any(Error) },
      { type: 'loop.recovered', loop: 'event-feed' },
    ]);
    await watch.close();
  });

  it('two listeners are told, and the one that stays is told after the other has gone', async () => {
    const { harness, bench } = await openOnOwnServer();
    const [one, other]: [string[], string[]] = [[], []];
    const first = await harness.first.inspector.watch(({ runId }) => one.push(runId));
    const second = await harness.first.inspector.watch(({ runId }) => other.push(runId));
    const { run } = await bench.submit();
    await waitUntil({ name: 'both to be told' }, () => one.length === 1 && other.length === 1);
    await first.close();
    const { run: next } = await bench.submit();
    await waitUntil({ name: 'the second to be told' }, () => other.length === 2);
    expect([one, other]).toEqual([[run.runId], [run.runId, next.runId]]);
    await second.close();
  });
});
