import { describe, expect, it } from '@jest/globals';
import { signalled } from '@millrace/durable/testing';
import { waitUntil } from '../testing/index.js';
import { useBench } from '../testing/conformance/bench.js';
import { openRedisHarness, type RedisHarness } from '../testing/conformance/redis-harness.js';

describe('the event feed, of runs that are followed', () => {
  const bench = useBench(() => openRedisHarness({ partitions: 4 }));
  const harness = (): RedisHarness => bench().harness as RedisHarness;
  const clients = async (): Promise<string> => (await harness().raw.call('CLIENT', 'LIST')) as string;
  const submitIn = async (partition: number): Promise<string> => {
    for (let n = 0; ; n += 1) {
      const runId = `run-${n}`;
      if (harness().keys.partitionOf(runId) === partition) return (await bench().submit({ runId })).run.runId;
    }
  };

  it('tells of the runs of one partition after the other, each from when it was followed', async () => {
    const told = signalled<string>();
    const [one, other] = [await submitIn(0), await submitIn(1)];
    const feed = await bench().first.inspector.watch(({ runId, status }) => told.raise(runId, status), 'followed');
    for (const runId of [one, other]) {
      const unfollow = feed.follow?.(runId);
      await waitUntil({ name: 'a blocked read', pollMs: 2 }, async () => (await clients()).includes('cmd=xread '));
      await bench().cancel(runId, `request-${runId}`);
      expect(await told.waitFor(runId)).toBe('cancelled');
      unfollow?.();
    }
    await feed.close();
  });

  it('reads another partition at once, while it waits for the first', async () => {
    const told = signalled<string>();
    const [one, other] = [await submitIn(0), await submitIn(1)];
    const feed = await bench().first.inspector.watch(({ runId, status }) => told.raise(runId, status), 'followed');
    feed.follow?.(one);
    await waitUntil({ name: 'a blocked read', pollMs: 2 }, async () => (await clients()).includes('cmd=xread '));
    feed.follow?.(other);
    // Asked for behind it on the same connection.
    await bench().first.inspector.getProgress(other);
    await bench().cancel(other, 'request-1');
    expect(await told.waitFor(other)).toBe('cancelled');
    await bench().cancel(one, 'request-2');
    expect(await told.waitFor(one)).toBe('cancelled');
    await feed.close();
  });

  it('reads nothing while nobody follows', async () => {
    const feed = await bench().first.inspector.watch(() => undefined, 'followed');
    await bench().submit();
    expect(await clients()).not.toContain('cmd=xread ');
    await feed.close();
  });
});
