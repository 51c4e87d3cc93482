export { createPayloadCodec, errorCodec, type PayloadCodecOptions } from './codec/index.js';
export { redisWorkerStorage } from './heartbeat/index.js';
export {
  MemoryStorage,
  type AfterLoss,
  type HeldCall,
  type MemorySnapshot,
  type MemoryStorageOptions,
  type StoreMethod,
} from './memory/index.js';
export {
  addressFaults,
  RedisStorage,
  type Address,
  type Fault,
  type Finding,
  type RedisStorageConfig,
  type ServerFacts,
  type StorageDescription,
  type SweptRecord,
} from './redis/index.js';
