import { Redis } from 'ioredis';
import { type Lab, WrongResult } from '../harness/scenario.js';

/** Upper case names the head, so that no number of a step is one of them. */
const SCRIPT = `
local at = redis.call('HMGET', KEYS[1], 'T', 'V')
if at[1] ~= ARGV[1] or at[2] ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], 'V', ARGV[3], ARGV[4], ARGV[5])
return 1
`;
/** As long as a key, a claim token and a result of the cost model's tiny step. */
const KEY = '{default:0}:run:01JABCDEFGHJKMNPQRSTVWXYZ0';
const TOKEN = '1.AbCdEfGhIjK';
const RESULT = 'x'.repeat(24);
/** Looked at so often whether the sample is over, calls. */
const LOOK_EVERY = 256;

/**
 * Calls the script one time after the other by its digest, over one connection that is set up as the product sets up its own.
 * Answers the wall time of the calls alone, ms. @throws WrongResult when a call was refused, or the record is not what it should be
 */
export async function roundTrips(lab: Lab, calls: number): Promise<number> {
  const redis = new Redis(lab.redis.port, '127.0.0.1', {
    disableClientInfo: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 2000,
    keepAlive: 10_000,
    retryStrategy: null,
    lazyConnect: true,
  });
  lab.onClose(() => redis.disconnect());
  await redis.connect();
  const digest = String(await redis.call('SCRIPT', 'LOAD', SCRIPT));
  await redis.hset(KEY, 'T', TOKEN, 'V', '0');
  const startedAt = performance.now();
  for (let at = 0; at < calls; at++) {
    const answer = await redis.call('EVALSHA', digest, 1, KEY, TOKEN, at, at + 1, (at + 1).toString(36), RESULT);
    if (answer !== 1) throw new WrongResult(`call ${at} was answered ${String(answer)}`);
    if (at % LOOK_EVERY === 0) {
      lab.signal.throwIfAborted();
      lab.progress(at, calls);
    }
  }
  const wallMs = performance.now() - startedAt;
  const [revision, fields] = await Promise.all([redis.hget(KEY, 'V'), redis.hlen(KEY)]);
  if (revision !== String(calls) || fields !== calls + 2) throw new WrongResult(`the record has revision ${revision} and ${fields} fields`);
  return wallMs;
}
