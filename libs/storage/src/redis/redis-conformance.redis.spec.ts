import { runStoreConformance } from '../testing/conformance/run-store-conformance.js';
import { openRedisHarness } from '../testing/conformance/redis-harness.js';

runStoreConformance('Redis store with one partition', () => openRedisHarness({ partitions: 1 }));
runStoreConformance('Redis store with sixteen partitions', () => openRedisHarness({ partitions: 16 }));
