import { describe, expect, it } from '@jest/globals';
import { StoreUnavailable } from '@millrace/durable';
import { waitUntil } from '../testing/index.js';
import { only, useBench } from '../testing/conformance/bench.js';
import { openRedisHarness, type RedisHarness } from '../testing/conformance/redis-harness.js';

const never = (): AbortSignal => new AbortController().signal;

describe('lanes of the Redis store', () => {
  const bench = useBench(() => openRedisHarness({ partitions: 4 }));
  const harness = (): RedisHarness => bench().harness as RedisHarness;
  const laneKeys = async (): Promise<string[]> => (await harness().allKeys()).filter((key) => key.includes(':ready:'));
  const laneOf = (runId: string): string => harness().keys.ready(harness().keys.partitionOf(runId), 'default|fulfil-order|1');

  it('parses what a blocking read answers under RESP3, and again after a reconnection', async () => {
    const reader = bench().reader();
    const { run } = await bench().submit();
    expect((await harness().raw.call('CLIENT', 'LIST')) as string).toContain('resp=3');
    expect(only(await reader.wait(5_000, never())).runId).toBe(run.runId);
    await harness().raw.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    const next = await bench().submit({}, bench().second);
    const delivered = await waitUntil({ name: 'the reader to be connected again' }, async () => {
      try {
        return await reader.wait(5_000, never());
      } catch (error) {
        if (error instanceof StoreUnavailable) return false;
        throw error;
      }
    });
    expect(delivered).toMatchObject([{ runId: next.run.runId, lane: bench().lane }]);
  });

  it('takes as many of each stream as keep within what it may, and says whether there may be more', async () => {
    const reader = bench().reader();
    const runIds = Array.from({ length: 40 }, (_, n) => `run-${n}`).filter((runId) => harness().keys.partitionOf(runId) === 0);
    await bench().runs.submit(runIds.slice(0, 4).map((runId) => bench().submission({ runId })));
    expect(await reader.wait(5_000, never(), 11)).toHaveLength(2);
    expect(reader.isDrained).toBe(false);
    expect(await reader.wait(5_000, never())).toHaveLength(1);
    expect(reader.isDrained).toBe(false);
    expect(await reader.wait(5_000, never(), 11)).toHaveLength(1);
    expect(reader.isDrained).toBe(true);
  });

  it('makes a lost group again at the beginning: what came before is delivered', async () => {
    const reader = bench().reader();
    expect(await reader.read(10)).toEqual([]);
    const [one, other] = [await bench().submit(), await bench().submit()];
    for (const key of await laneKeys()) await harness().raw.xgroup('DESTROY', key, 'g');
    const found = [...(await reader.wait(5_000, never())), ...(await reader.read(10))].map(({ runId }) => runId);
    expect(found.sort()).toEqual([one.run.runId, other.run.runId].sort());
  });

  it('delivers a second time what a lost group had delivered, and the claim refuses it', async () => {
    const held = await bench().start();
    const { run } = await bench().submit();
    await bench().deliver(run.runId);
    for (const key of await laneKeys()) await harness().raw.xgroup('DESTROY', key, 'g');
    expect((await bench().deliverAll()).map(({ runId }) => runId)).toEqual([run.runId]);
    expect(await bench().head(held.runId)).toMatchObject({ status: 'running', token: held.token });
  });

  it('drops an entry that names no run, and delivers the others', async () => {
    const { run } = await bench().submit();
    const key = laneOf(run.runId);
    await harness().raw.xadd(key, '*', 'unheard', 'of');
    expect((await bench().deliverAll()).map(({ runId }) => runId)).toEqual([run.runId]);
    expect(await harness().raw.xlen(key)).toBe(1);
  });

  it('takes entries over that were deleted while they were pending', async () => {
    const [one, other] = [await bench().submit(), await bench().submit()];
    const delivered = await bench().deliverAll();
    const deleted = only(delivered.filter(({ runId }) => runId === one.run.runId));
    await harness().raw.xdel(laneOf(one.run.runId), deleted.entryId);
    await harness().timePasses(2);
    const reader = bench().reader();
    expect((await reader.reclaim(1, 10)).map(({ runId }) => runId)).toEqual([other.run.runId]);
    const pending = await Promise.all((await laneKeys()).map(async (key) => ((await harness().raw.xpending(key, 'g')) as [number])[0]));
    expect(pending.reduce((sum, count) => sum + count, 0)).toBe(1);
  });

  it('goes on behind a page of entries that nobody may claim', async () => {
    const runIds = Array.from({ length: 250 }, (_, n) => `stuck-${n}`);
    await bench().runs.submit(runIds.map((runId) => bench().submission({ runId })));
    await bench().deliverAll();
    await harness().timePasses(2);
    const reader = bench().reader();
    const seen = new Set<string>();
    for (let page = 0; page < 10; page += 1) for (const { runId } of await reader.reclaim(1, 50)) seen.add(runId);
    expect(seen.size).toBe(250);
  });

  it('reads past a lane whose key holds another type', async () => {
    const { run } = await bench().submit();
    const broken = { queue: 'broken', workflow: 'broken', version: 1 };
    for (let partition = 0; partition < 4; partition += 1) await harness().raw.set(harness().keys.ready(partition, 'broken|broken|1'), 'x');
    const reader = bench().reader([broken, bench().lane]);
    expect((await reader.read(10)).map(({ runId }) => runId)).toEqual([run.runId]);
    expect(await reader.reclaim(60_000, 10)).toEqual([]);
  });

  it('waits with a reader that serves nothing', async () => {
    const reader = bench().reader([]);
    expect(await reader.read(10)).toEqual([]);
    expect(await reader.wait(1, never())).toEqual([]);
    const stop = new AbortController();
    const waiting = reader.wait(60_000, stop.signal);
    stop.abort();
    expect(await waiting).toEqual([]);
  });

  it('leaves no blocked client behind after an abort', async () => {
    const reader = bench().reader();
    const stop = new AbortController();
    const waiting = reader.wait(5_000, stop.signal);
    const blocked = async (): Promise<boolean> => ((await harness().raw.call('CLIENT', 'LIST')) as string).includes('flags=b');
    await waitUntil({ name: 'a blocked read', pollMs: 2 }, blocked);
    stop.abort();
    expect(await waiting).toEqual([]);
  });
});
