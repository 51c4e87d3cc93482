import { Redis } from 'ioredis';

const ANSWER_LIMIT_MS = 2_000;
const LEAST_MAJOR = 7;

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
 * What is wrong with a server, as the end of a sentence, or null when it can be used.
 * @returns {Promise<{ fault: string | null, name: string }>}
 */
export async function judge(url) {
  try {
    const info = String(await ask(url, 'INFO', 'server'));
    const valkey = /^valkey_version:(\S+)/m.exec(info)?.[1];
    const redis = /^redis_version:(\S+)/m.exec(info)?.[1] ?? '0';
    const name = valkey === undefined ? `Redis ${redis}` : `Valkey ${valkey}`;
    const isTooOld = Number.parseInt(redis, 10) < LEAST_MAJOR;
    return { fault: isTooOld ? `is ${name}, and ${LEAST_MAJOR}.0 is the oldest that works` : null, name };
  } catch (error) {
    return { fault: `does not answer (${error.message})`, name: 'Redis' };
  }
}
