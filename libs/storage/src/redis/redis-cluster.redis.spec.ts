import { getEventListeners } from 'node:events';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { StoreUnavailable, type SubmitRequest } from '@millrace/durable';
import { startRedisCluster, testNamespace, tracked, waitUntil, type RedisCluster } from '../testing/index.js';
import { hashSlot } from './crc16.js';
import { StoreKeys } from './keys.js';
import { RedisStorage } from './redis-storage.js';

type SlotRanges = ReadonlyArray<readonly [first: number, last: number, master: readonly [host: string, port: number]]>;

const PARTITIONS = 16;
const lane = { queue: 'default', workflow: 'fulfil-order', version: 1 };

describe('a cluster', () => {
  const track = tracked(afterEach);
  let cluster: RedisCluster;
  beforeAll(async () => {
    cluster = await startRedisCluster();
  }, 60_000);
  afterAll(async () => {
    await cluster.stop();
  });

  async function openOnCluster(): Promise<{ storage: RedisStorage; keys: StoreKeys; nodes: readonly Redis[] }> {
    const namespace = testNamespace('cluster');
    const storage = await track(RedisStorage.open({ nodes: cluster.nodes, namespace, partitions: PARTITIONS }));
    const nodes = await Promise.all(cluster.nodes.map(({ host, port }) => track(new Redis({ host, port }))));
    return { storage, nodes, keys: new StoreKeys(namespace, PARTITIONS) };
  }

  async function nodeOf(nodes: readonly Redis[], key: string): Promise<Redis> {
    const ranges = (await nodes[0]?.cluster('SLOTS')) as unknown as SlotRanges;
    const port = ranges.find(([first, last]) => first <= hashSlot(key) && hashSlot(key) <= last)?.[2][1];
    return nodes.find((node) => node.options.port === port) as Redis;
  }

  function submission(runId: string): SubmitRequest {
    return { runId, lane, input: '1', digest: 'd', requestId: `of-${runId}` };
  }

  async function everyPartitionIsWaitedFor(nodes: readonly Redis[]): Promise<void> {
    await waitUntil({ name: 'a blocked read of every partition', pollMs: 2 }, async () => {
      const clients = await Promise.all(nodes.map(async (node) => String(await node.call('CLIENT', 'LIST'))));
      return clients.join('').split('flags=b').length - 1 === PARTITIONS;
    });
  }

  it('is followed when a partition moves to another node', async () => {
    const { storage, nodes, keys } = await openOnCluster();
    await storage.runs.submit([submission('moving')]);
    const prefix = keys.prefix(keys.partitionOf('moving'));
    const home = await nodeOf(nodes, prefix);
    const target = nodes.find((node) => node !== home) as Redis;
    // A slot without keys needs no migration, only the word of every node.
    for (const key of await home.keys(`${prefix}*`)) await home.del(key);
    const targetId = await target.cluster('MYID');
    for (const node of [target, ...nodes]) await node.cluster('SETSLOT', hashSlot(prefix), 'NODE', String(targetId));
    expect(await storage.runs.submit([submission('moving')])).toMatchObject([{ outcome: 'created' }]);
    expect(await target.exists(keys.run('moving'))).toBe(1);
  });

  it('is followed while a slot is on its way: ASK at once, TRYAGAIN until it has arrived', async () => {
    const { storage, nodes, keys } = await openOnCluster();
    const prefix = keys.prefix(keys.partitionOf('asked'));
    const slot = hashSlot(prefix);
    const home = await nodeOf(nodes, prefix);
    const target = nodes.find((node) => node !== home) as Redis;
    const targetId = String(await target.cluster('MYID'));
    for (const key of await home.keys(`${prefix}*`)) await home.del(key);
    await target.cluster('SETSLOT', slot, 'IMPORTING', String(await home.cluster('MYID')));
    await home.cluster('SETSLOT', slot, 'MIGRATING', targetId);
    await target.pipeline([['asking'], ['hset', keys.run('asked'), 'F', '1', 'S', 'q', 'L', 'q|w|1']]).exec();
    expect(await storage.inspector.getProgress('asked')).toMatchObject({ status: 'queued' });
    const submitting = storage.runs.submit([submission('asked')]);
    await target.pipeline([['asking'], ['del', keys.run('asked')]]).exec();
    for (const node of [target, ...nodes]) await node.cluster('SETSLOT', slot, 'NODE', targetId);
    expect(await submitting).toMatchObject([{ outcome: 'created' }]);
  });

  it('is audited and mended on every node', async () => {
    const { storage, nodes, keys } = await openOnCluster();
    const runIds = Array.from({ length: 30 }, (_, n) => `audited-${n}`);
    await storage.runs.submit(runIds.map(submission));
    expect(await storage.auditor.audit()).toEqual([]);
    for (const runId of runIds) await (await nodeOf(nodes, keys.run(runId))).hdel(keys.run(runId), 'A');
    const faults = (await storage.auditor.audit({ repair: true })).filter(({ fault }) => fault === 'queued-without-activation');
    expect(faults).toHaveLength(runIds.length);
    expect(new Set(faults.map(({ runId }) => runId))).toEqual(new Set(runIds));
    expect(await storage.auditor.audit()).toEqual([]);
  });

  it('tells events of every partition', async () => {
    const { storage } = await openOnCluster();
    const runIds = Array.from({ length: 20 }, (_, n) => `told-${n}`);
    const told = new Set<string>();
    const all = new Promise<void>((resolve) => {
      void storage.inspector
        .watch(({ runId }) => {
          told.add(runId);
          if (told.size === runIds.length) resolve();
        })
        .then(() => storage.runs.submit(runIds.map(submission)));
    });
    await all;
    expect(told).toEqual(new Set(runIds));
  });

  it('is waited for with one listener on the signal of the caller, whatever the number of partitions', async () => {
    const { storage, nodes } = await openOnCluster();
    const reader = storage.lanes([lane]);
    const stop = new AbortController();
    const waiting = reader.wait(5_000, stop.signal);
    await everyPartitionIsWaitedFor(nodes);
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(1);
    stop.abort();
    expect(await waiting).toEqual([]);
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });

  it('delivers everything that came to many partitions at once, though the first that came ends the wait for the others', async () => {
    const { storage, nodes } = await openOnCluster();
    const reader = storage.lanes([lane]);
    const never = new AbortController().signal;
    for (let round = 0; round < 10; round += 1) {
      const waiting = reader.wait(5_000, never);
      await everyPartitionIsWaitedFor(nodes);
      const runIds = Array.from({ length: 3 * PARTITIONS }, (_, n) => `burst-${round}-${n}`);
      await storage.runs.submit(runIds.map(submission));
      const delivered = [...(await waiting), ...(await reader.read(1_000))].map(({ runId }) => runId);
      expect(delivered.toSorted()).toEqual(runIds.toSorted());
    }
  });

  it('is opened by one address', async () => {
    const namespace = testNamespace('cluster');
    const storage = await track(RedisStorage.open({ url: cluster.url, namespace, partitions: PARTITIONS }));
    expect(storage.describe()).toMatchObject({ topology: 'cluster', partitions: PARTITIONS });
  });

  it('says what it is and takes writes on every master', async () => {
    const { storage, nodes, keys } = await openOnCluster();
    await storage.ping();
    const probes = await Promise.all(nodes.map((node) => node.keys(`{${keys.namespace}:*}:probe`)));
    expect(probes.map(({ length }) => length)).toEqual([1, 1, 1]);
    expect(storage.describe()).toMatchObject({ topology: 'cluster', partitions: PARTITIONS, servers: [{}, {}, {}] });
  });

  it('is given up in time when no node answers', async () => {
    await expect(RedisStorage.open({ nodes: [{ host: '127.0.0.1', port: 1 }], giveUpMs: 400 })).rejects.toThrow(StoreUnavailable);
  });
});
