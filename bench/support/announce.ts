import { startWorker } from '@millrace/durable';
import { createPayloadCodec, errorCodec, type RedisStorage, redisWorkerStorage } from '@millrace/storage';
import { workflows } from '../workflows/processes.js';

/** Starts a worker and stops it again, so that the API knows the workflows although nobody serves them. */
export async function announceWorkflows(storage: RedisStorage, redisUrl: string): Promise<void> {
  const codec = { ...createPayloadCodec(), ...errorCodec };
  const worker = await startWorker({
    storage: redisWorkerStorage(storage, { url: redisUrl, namespace: 'default' }),
    codec,
    workflows,
    options: { name: 'announcer' },
  });
  await worker.stop();
}
