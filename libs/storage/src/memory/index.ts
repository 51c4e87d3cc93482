export { type MemoryFaults, type AfterLoss, type HeldCall, type StoreMethod } from './memory-faults.js';
export type { MemorySnapshot } from './memory-server.js';
export { MemoryStorage, type MemoryStorageOptions } from './memory-storage.js';
