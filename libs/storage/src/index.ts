export { createPayloadCodec, decodeError, encodeError, errorCodec, type PayloadCodecOptions } from './codec/index.js';
export { MemoryFaults, MemoryStorage, type AfterLoss, type HeldCall, type MemorySnapshot, type MemoryStorageOptions, type StoreMethod } from './memory/index.js';
export { RedisCallError, RedisStorage, type Address, type RedisStorageConfig, type ServerFacts, type StorageDescription } from './redis/index.js';
