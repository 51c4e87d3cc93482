export { redisWorkerStorage } from './redis-worker-storage.js';
