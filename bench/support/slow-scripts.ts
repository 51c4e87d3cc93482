import { Redis } from 'ioredis';

/** Scripts from this time on are written down, µs. Below it lies what one can not tell from the machine's noise. */
const NOTED_FROM_US = 1000;
const MOST_NOTED = 10_000;
type SlowEntry = readonly [id: number, at: number, durationUs: number, words: readonly string[]];

/** Has the server write down slow commands from now on. */
export async function watchSlowScripts(port: number): Promise<void> {
  await withRedis(port, async (redis) => {
    await redis.config('SET', 'slowlog-log-slower-than', NOTED_FROM_US);
    await redis.config('SET', 'slowlog-max-len', MOST_NOTED);
    await redis.slowlog('RESET');
  });
}

/** Times of the scripts that took 1 ms or more since, ms, without what waited for the disk. */
export async function slowScripts(port: number): Promise<number[]> {
  const entries = await withRedis(port, (redis) => redis.slowlog('GET', MOST_NOTED) as Promise<readonly SlowEntry[]>);
  return entries.filter(([, , , words]) => /^(EVAL|FCALL)/i.test(words[0] ?? '')).map(([, , durationUs]) => durationUs / 1000);
}

async function withRedis<T>(port: number, act: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(port, '127.0.0.1');
  try {
    return await act(redis);
  } finally {
    redis.disconnect();
  }
}
