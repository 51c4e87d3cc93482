export {
  startFaultProxy,
  type FaultProxy,
  type FaultProxyOptions,
  type LostReplies,
  type ReplyFault,
} from './fault-proxy.js';
export { freePort } from './free-port.js';
export { beginSlotMove, type SlotMove } from './move-slot.js';
export { rawCommand, type RawTarget } from './raw-command.js';
export { startRedisCluster, type RedisCluster, type StartRedisClusterOptions } from './redis-cluster.js';
export { startReplicatedRedis, type ReplicatedRedis } from './redis-sentinel.js';
export { startRedis, type RedisServer, type StartRedisOptions } from './redis-server.js';
export { testNamespace } from './test-namespace.js';
export { tracked, type Closable, type Track } from './tracked.js';
export { waitUntil, type WaitLimit } from './wait-until.js';
