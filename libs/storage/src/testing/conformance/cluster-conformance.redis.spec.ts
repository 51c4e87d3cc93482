import { afterAll, beforeAll } from '@jest/globals';
import { type RedisCluster, startRedisCluster } from '../redis-cluster.js';
import { openClusterHarness } from './cluster-harness.js';
import { compareStores } from './compare-stores.js';
import type { Harness } from './harness.js';
import { openMemoryHarness } from './memory-harness.js';
import { runStoreConformance } from './run-store-conformance.js';

let cluster: RedisCluster | undefined;

beforeAll(async () => {
  cluster = await startRedisCluster();
}, 60_000);

afterAll(async () => {
  await cluster?.stop();
});

runStoreConformance('Redis Cluster of three masters, 16 partitions', openOnCluster);
compareStores('memory and Redis Cluster', () => openMemoryHarness(16), openOnCluster, { sequences: 25 });

function openOnCluster(): Promise<Harness> {
  if (cluster === undefined) {
    throw new Error('the cluster runs only within a test');
  }
  return openClusterHarness(cluster, 16);
}
