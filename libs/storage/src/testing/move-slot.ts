import { Redis } from 'ioredis';
import type { RedisCluster } from './redis-cluster.js';

/** A hash slot on its way from the node that had it to another one. */
export interface SlotMove {
  /** Moves every key of the slot, one after the other, and answers their names. */
  migrateKeys(): Promise<string[]>;
  /** Tells every node that the slot has arrived. */
  finish(): Promise<void>;
}

const MIGRATE_LIMIT_MS = 5_000;
const MOST_KEYS = 10_000;

/**
 * Begins to move the slot of a key as an operator does: from now on its old node answers ASK for what it does not have, and
 * TRYAGAIN for what it has in part. The connections end with `finish`.
 *
 * @throws Error when the cluster has no second node
 */
export async function beginSlotMove(cluster: RedisCluster, key: string): Promise<SlotMove> {
  const nodes = cluster.nodes.map(({ host, port }) => new Redis({ host, port }));
  const slot = Number(await nodes[0]?.cluster('KEYSLOT', key));
  const ids = await Promise.all(nodes.map(async (node) => String(await node.cluster('MYID'))));
  const from = await ownerOf(slot, nodes);
  const to = (from + 1) % nodes.length;
  const [source, target] = [nodes[from], nodes[to]];
  if (source === undefined || target === undefined || from === to) throw new Error('a slot moves between two nodes');
  const [sourceId, targetId] = [String(ids[from]), String(ids[to])];
  await target.cluster('SETSLOT', slot, 'IMPORTING', sourceId);
  await source.cluster('SETSLOT', slot, 'MIGRATING', targetId);
  return {
    async migrateKeys() {
      const keys = await source.cluster('GETKEYSINSLOT', slot, MOST_KEYS);
      const { host = '', port = 0 } = cluster.nodes[to] ?? {};
      for (const each of keys) await source.migrate(host, port, each, 0, MIGRATE_LIMIT_MS);
      return keys;
    },
    async finish() {
      for (const node of [target, source, ...nodes]) await node.cluster('SETSLOT', slot, 'NODE', targetId);
      for (const node of nodes) node.disconnect();
    },
  };
}

async function ownerOf(slot: number, nodes: readonly Redis[]): Promise<number> {
  const ranges = (await nodes[0]?.cluster('SLOTS')) as unknown as ReadonlyArray<readonly [number, number, readonly [string, number]]>;
  const port = ranges.find(([first, last]) => first <= slot && slot <= last)?.[2][1];
  return nodes.findIndex((node) => node.options.port === port);
}
