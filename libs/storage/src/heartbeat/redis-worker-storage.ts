import type { HeartbeatsFactory, WorkerStorage } from '@millrace/durable';
import type { RedisStorage, RedisStorageConfig } from '../redis/index.js';
import { ThreadHeartbeats } from './thread-heartbeats.js';

const COMMAND_TIMEOUT_MS = 2000;
const GIVE_UP_MS = 4000;

/** What a worker on Redis works with: the open storage, and heartbeats from a thread of their own. */
export function redisWorkerStorage(storage: RedisStorage, config: RedisStorageConfig): WorkerStorage {
  return {
    runs: storage.runs,
    registry: storage.registry,
    bells: storage.bells,
    lanes: (lanes) => storage.lanes(lanes),
    sweepRecords: () => storage.sweepRecords(),
    heartbeats: threadHeartbeats(config),
  };
}

/** Heartbeats from a thread that opens a connection of its own by the same configuration. */
export function threadHeartbeats(config: RedisStorageConfig): HeartbeatsFactory {
  return (params) => new ThreadHeartbeats({ ...params, config: plainConfig(config, params.heartbeatMs) });
}

/** Functions do not cross the thread boundary; and a beat that is late is better sent anew than waited for. */
function plainConfig(
  { clock: _clock, random: _random, emit: _emit, ...config }: RedisStorageConfig,
  heartbeatMs: number,
): RedisStorageConfig {
  const commandTimeoutMs = Math.min(config.commandTimeoutMs ?? COMMAND_TIMEOUT_MS, Math.max(500, Math.round(heartbeatMs / 2)));
  return { ...config, commandTimeoutMs, giveUpMs: Math.min(GIVE_UP_MS, Math.max(commandTimeoutMs, heartbeatMs)) };
}
