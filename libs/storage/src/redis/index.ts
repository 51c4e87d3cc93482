export { type Fault, type Finding } from './audit/faults.js';
export { type SweptRecord } from './audit/record-sweep.js';
export { type RedisStorageConfig } from './connection/configuration.js';
export { type Address, addressFaults } from './connection/store-address.js';
export { RedisStorage, type StorageDescription } from './redis-storage.js';
export { type ServerFacts } from './server-check.js';
