import { Redis } from 'ioredis';

/** Memory that a terminal run keeps in Redis, by MEMORY USAGE without sampling. */
export interface RetainedRecord {
  /** Its record and every other key that bears its id. */
  readonly recordBytes: number;
  /** Its share of the lists that name it. */
  readonly indexBytes: number;
}

/** Runs that stand beside it in its list while the share is measured: as many as make the list a real one. */
const NEIGHBOURS = 1000;

/**
 * The lists of one run alone would be small ones of another encoding, and bear the whole cost of their keys. So 1,000 members that
 * look like the run's are put beside it and taken away again. What a namespace has once or within a cap, such as the stream of
 * events and the registry, is no run's.
 */
export async function retainedRecord(port: number, runId: string): Promise<RetainedRecord> {
  const redis = new Redis(port, '127.0.0.1');
  try {
    const keys = await matching(redis, `*:run:${runId}*`);
    const sizes = await Promise.all(keys.map((key) => usage(redis, key)));
    const lists = await matching(redis, '*:idx:*');
    const shares = await Promise.all(lists.map((list) => shareOf(redis, list, runId)));
    if (keys.length === 0 || sum(shares) === 0)
      throw new Error(`run ${runId} has ${keys.length} keys, and is in none of ${lists.length} lists`);
    return { recordBytes: sum(sizes), indexBytes: sum(shares) };
  } finally {
    redis.disconnect();
  }
}

async function shareOf(redis: Redis, list: string, runId: string): Promise<number> {
  const members = await redis.zrange(list, 0, '-1', 'WITHSCORES');
  const at = members.findIndex((member, index) => index % 2 === 0 && member.includes(runId));
  const [member, score] = [members[at], members[at + 1]];
  if (member === undefined || score === undefined) return 0;
  const neighbours = Array.from({ length: NEIGHBOURS }, (_, i) => member.replace(runId, String(i).padStart(runId.length, '-')));
  await redis.zadd(list, ...neighbours.flatMap((neighbour) => [score, neighbour]));
  const share = (await usage(redis, list)) / (await redis.zcard(list));
  await redis.zrem(list, ...neighbours);
  return share;
}

async function matching(redis: Redis, pattern: string): Promise<string[]> {
  const found: string[] = [];
  for await (const keys of redis.scanStream({ match: pattern, count: 1000 })) found.push(...(keys as string[]));
  return found;
}

async function usage(redis: Redis, key: string): Promise<number> {
  return Number(await redis.memory('USAGE', key, 'SAMPLES', 0));
}

function sum(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0);
}
