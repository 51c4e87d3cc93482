import { Redis } from 'ioredis';

const ANSWER_LIMIT_MS = 2_000;

/** One command to a Redis on a connection of its own. */
export async function ask(url, ...command) {
  const redis = new Redis(url, {
    lazyConnect: true,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    connectTimeout: ANSWER_LIMIT_MS,
    commandTimeout: ANSWER_LIMIT_MS,
  });
  // Without a listener a refused connection is printed as unhandled; the call below rejects with the same error.
  redis.on('error', () => {});
  try {
    await redis.connect();
    return await redis.call(...command);
  } finally {
    redis.disconnect();
  }
}

/**
 * What is wrong with the Redis that an address leads to, one server, a cluster or sentinels', as the end of a sentence; null when it
 * can be used. The storage decides, as it does for API and workers.
 * @returns {Promise<{ fault: string | null, name: string }>}
 */
export async function judge(url, namespace) {
  const { RedisStorage } = await import(new URL('../../dist/libs/storage/src/index.js', import.meta.url).href);
  try {
    const storage = await RedisStorage.open({ url, namespace, giveUpMs: ANSWER_LIMIT_MS });
    const { servers, topology } = storage.describe();
    await storage.close();
    const versions = [...new Set(servers.map(({ version }) => version))].join(', ');
    return { fault: null, name: `Redis ${versions}${topology === 'standalone' ? '' : ` (${topology})`}` };
  } catch (error) {
    const reasons = error.details?.problems ?? [error.message, ...(error.cause instanceof Error ? [error.cause.message] : [])];
    return { fault: `cannot be used (${reasons.join('; ')})`, name: 'Redis' };
  }
}
