export { createPayloadCodec, decodeError, encodeError, errorCodec, type PayloadCodecOptions } from './codec/index.js';
export { redisWorkerStorage, threadHeartbeats } from "./heartbeat/index.js";
export {
  MemoryFaults,
  MemoryStorage,
  type AfterLoss,
  type HeldCall,
  type MemorySnapshot,
  type MemoryStorageOptions,
  type StoreMethod,
} from './memory/index.js';
export {
  RedisStorage,
  type Address,
  type Fault,
  type Finding,
  type RedisStorageConfig,
  type ServerFacts,
  type StorageDescription,
  type SweptRecord,
} from './redis/index.js';
