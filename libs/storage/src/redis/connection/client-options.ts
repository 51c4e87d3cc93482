import type { RedisOptions } from 'ioredis';
import type { ResolvedConfig } from './configuration.js';
import type { Address } from './store-address.js';

/**
 * What a connection is for. `commands`: every answer within the command time-out. `blocking`: its own connection, because
 * a blocking read holds everything behind it. `subscriber`: bells.
 */
export type ConnectionPurpose = 'commands' | 'blocking' | 'subscriber';

/** Longest BLOCK that the store asks for, ms. Never 0: a half-open socket would wait for ever. */
export const LONGEST_BLOCK_MS = 5_000;
/** What a blocking read may take longer than its BLOCK before its connection counts as dead, ms. */
export const BLOCK_GRACE_MS = 2_000;

/** Options of a client; replies always come in the shapes of RESP2. */
export type ClientOptions = Omit<RedisOptions, 'replyMapping'>;

/**
 * Options of one physical connection. Nothing below us may repeat a call or reconnect: both are done by our own code.
 * `blockingTimeout` is left off: the library would answer null, as if nothing had come, and keep the dead connection. Whoever
 * blocks sets a limit of its own and destroys the connection.
 */
export function clientOptions(config: ResolvedConfig, purpose: ConnectionPurpose, address: Address | null): ClientOptions {
  return {
    ...target(config, address),
    ...(config.username === null ? {} : { username: config.username }),
    ...(config.password === null ? {} : { password: config.password }),
    ...(config.tls === null ? {} : { tls: config.tls, enableTLSForSentinelMode: true }),
    ...(purpose !== 'blocking' ? { commandTimeout: config.commandTimeoutMs } : {}),
    db: 0,
    connectionName: `millrace-${purpose}`,
    disableClientInfo: true,
    connectTimeout: config.connectTimeoutMs,
    disconnectTimeout: DISCONNECT_GRACE_MS,
    keepAlive: config.keepAliveMs,
    enableReadyCheck: true,
    maxLoadingRetryTime: LOADING_POLL_MS,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    maxRetriesPerRequest: 0,
    retryStrategy: null,
    sentinelRetryStrategy: () => null,
  };
}

const DISCONNECT_GRACE_MS = 100;
/** Pause between two looks at a server that is loading its data. */
const LOADING_POLL_MS = 250;

function target(config: ResolvedConfig, address: Address | null): ClientOptions {
  const { servers } = config;
  if (servers.kind !== 'sentinel') return address ?? (servers.kind === 'standalone' ? servers.address : {});
  return {
    sentinels: servers.sentinels.map(({ host, port }) => ({ host, port })),
    name: servers.name,
    role: 'master',
    sentinelCommandTimeout: config.commandTimeoutMs,
    ...(config.sentinelUsername === null ? {} : { sentinelUsername: config.sentinelUsername }),
    ...(config.sentinelPassword === null ? {} : { sentinelPassword: config.sentinelPassword }),
    ...(config.tls === null ? {} : { sentinelTLS: config.tls }),
  };
}
