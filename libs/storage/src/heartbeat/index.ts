export { redisWorkerStorage, threadHeartbeats } from './redis-worker-storage.js';
