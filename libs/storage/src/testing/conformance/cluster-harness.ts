import { Cluster, type Redis } from 'ioredis';
import { RedisStorage } from '../../redis/index.js';
import { StoreKeys } from '../../redis/keys.js';
import type { RedisCluster } from '../redis-cluster.js';
import { testNamespace } from '../test-namespace.js';
import { waitUntil } from '../wait-until.js';
import type { Harness, RecordFault } from './harness.js';

/** Two clients of an empty namespace on a real Redis Cluster, and a plain connection to spoil it with. */
export async function openClusterHarness(cluster: RedisCluster, partitions: number): Promise<Harness> {
  const namespace = testNamespace('cluster');
  const raw = new Cluster([...cluster.nodes]);
  const first = await RedisStorage.open({ nodes: cluster.nodes, namespace, partitions });
  const second = await RedisStorage.open({ nodes: cluster.nodes, namespace, partitions });
  const keys = new StoreKeys(namespace, partitions);
  return {
    first,
    second,
    async timePasses(ms) {
      // Each node has its own time; they share this machine's clock.
      const end = (await first.runs.now()) + ms;
      await waitUntil({ name: `${ms} ms of server time`, pollMs: 1 }, async () => (await first.runs.now()) > end);
    },
    breakRecord: (runId, fault) => breakRecord(raw, keys.run(runId), fault),
    snapshot: () => snapshot(raw, namespace),
    async close() {
      await Promise.all([first.close(), second.close()]);
      raw.disconnect();
    },
  };
}

async function breakRecord(raw: Cluster, key: string, fault: RecordFault): Promise<void> {
  if (fault === 'field-missing') {
    await raw.hdel(key, 'S');
  } else {
    await raw.del(key);
    await raw.set(key, 'no record');
  }
}

async function snapshot(raw: Cluster, namespace: string): Promise<() => Promise<void>> {
  const dumps = new Map<string, Buffer>();
  for (const key of await keysOf(raw, namespace)) {
    dumps.set(key, await raw.dumpBuffer(key));
  }
  return async () => {
    for (const key of await keysOf(raw, namespace)) {
      await raw.del(key);
    }
    for (const [key, dump] of dumps) {
      await raw.restore(key, 0, dump);
    }
  };
}

async function keysOf(raw: Cluster, namespace: string): Promise<string[]> {
  const ofNodes = await Promise.all(raw.nodes('master').map((node: Redis) => node.keys(`{${namespace}:*`)));
  return ofNodes.flat();
}
