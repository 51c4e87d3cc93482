import type { ConnectionOptions } from 'node:tls';
import {
  ConfigurationError,
  isNamespace,
  systemClock,
  systemRandomness,
  type Clock,
  type EventSink,
  type Randomness,
} from '@millrace/durable';
import { parseStoreAddress, type Address, type Servers, type StoreAddress } from './store-address.js';

/** How the store is reached and laid out, as a user writes it. Exactly one of `url`, `sentinels` and `nodes`. */
export interface RedisStorageConfig {
  /**
   * `redis://host:port` of one server, `redis+cluster://host:port,host:port` of some nodes of a cluster, or
   * `redis+sentinel://host:port,host:port/master-name`; `rediss` in front is TLS. May carry user name and password. Database 0 only.
   */
  readonly url?: string | undefined;
  /** Sentinels that know the master called `name`. */
  readonly sentinels?: readonly Address[] | undefined;
  readonly name?: string | undefined;
  /** Some nodes of a Redis Cluster; the others are found. */
  readonly nodes?: readonly Address[] | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly sentinelUsername?: string | undefined;
  readonly sentinelPassword?: string | undefined;
  /** TLS with these options, or with the defaults when true. @defaultValue false, true with `rediss` */
  readonly tls?: boolean | ConnectionOptions | undefined;
  /** Begins every key. @defaultValue 'millrace' */
  readonly namespace?: string | undefined;
  /** Hash-slot groups of the namespace, 1–4,096, fixed when it is made. @defaultValue what it was made with, 16 for a new one */
  readonly partitions?: number | undefined;
  /** Longest time for a TCP or TLS connection, ms. @defaultValue 2_000 */
  readonly connectTimeoutMs?: number | undefined;
  /** A call without an answer for this long loses its connection and is repeated on a new one, ms. @defaultValue 2_000 */
  readonly commandTimeoutMs?: number | undefined;
  /** A call is repeated for this long before it throws `StoreUnavailable`, ms. @defaultValue 4_000 */
  readonly giveUpMs?: number | undefined;
  /** TCP keep-alive begins after this idle time, ms. @defaultValue 10_000 */
  readonly keepAliveMs?: number | undefined;
  /** Calls that may be under way at once; one more throws `StoreUnavailable`. @defaultValue 10_000 */
  readonly maxOutstanding?: number | undefined;
  /** @defaultValue the system's */
  readonly clock?: Clock | undefined;
  /** @defaultValue the system's */
  readonly random?: Randomness | undefined;
  /** @defaultValue drops them */
  readonly emit?: EventSink | undefined;
}

/** Resolved: every default applied, everything checked. */
export interface ResolvedConfig {
  readonly servers: Servers;
  readonly username: string | null;
  readonly password: string | null;
  readonly sentinelUsername: string | null;
  readonly sentinelPassword: string | null;
  readonly tls: ConnectionOptions | null;
  readonly namespace: string;
  /** Null: whatever the namespace was made with. */
  readonly partitions: number | null;
  readonly connectTimeoutMs: number;
  readonly commandTimeoutMs: number;
  readonly giveUpMs: number;
  readonly keepAliveMs: number;
  readonly maxOutstanding: number;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly emit: EventSink;
}

/** Partitions of a namespace that is made without a wish. */
export const DEFAULT_PARTITIONS = 16;
const MOST_PARTITIONS = 4_096;

const known = [
  'url',
  'sentinels',
  'name',
  'nodes',
  'username',
  'password',
  'sentinelUsername',
  'sentinelPassword',
  'tls',
  'namespace',
  'partitions',
  'connectTimeoutMs',
  'commandTimeoutMs',
  'giveUpMs',
  'keepAliveMs',
  'maxOutstanding',
  'clock',
  'random',
  'emit',
] as const satisfies ReadonlyArray<keyof RedisStorageConfig>;

/** Applies defaults and checks everything. @throws ConfigurationError naming every fault; a password is never part of it */
export function resolveConfig(config: RedisStorageConfig): ResolvedConfig {
  const problems: string[] = [];
  for (const key of Object.keys(config)) {
    if (!known.some((name) => name === key)) problems.push(`${key} is no option; known are ${known.join(', ')}`);
  }
  const url = config.url === undefined ? null : addressOf(config.url, problems);
  const servers = serversOf(config, url, problems);
  const number = (name: NumberOption, fallback: number, least: number, most: number): number => {
    const value = config[name] ?? fallback;
    if (!Number.isSafeInteger(value) || value < least || value > most)
      problems.push(`${name} must be a whole number of ${least} to ${most}, not ${value}`);
    return value;
  };
  const namespace = config.namespace ?? 'millrace';
  if (!isNamespace(namespace))
    problems.push(`namespace must be 1 to 40 of a-z, 0-9 and - with a letter or digit first, not ${JSON.stringify(namespace)}`);
  const resolved = {
    username: config.username ?? url?.username ?? null,
    password: config.password ?? url?.password ?? null,
    sentinelUsername: config.sentinelUsername ?? null,
    sentinelPassword: config.sentinelPassword ?? null,
    tls: tlsOf(config.tls ?? url?.isTls ?? false),
    namespace,
    partitions: config.partitions === undefined ? null : number('partitions', DEFAULT_PARTITIONS, 1, MOST_PARTITIONS),
    connectTimeoutMs: number('connectTimeoutMs', 2_000, 10, 60_000),
    commandTimeoutMs: number('commandTimeoutMs', 2_000, 10, 60_000),
    giveUpMs: number('giveUpMs', 4_000, 10, 600_000),
    keepAliveMs: number('keepAliveMs', 10_000, 0, 3_600_000),
    maxOutstanding: number('maxOutstanding', 10_000, 1, 1_000_000),
    clock: config.clock ?? systemClock,
    random: config.random ?? systemRandomness,
    emit: config.emit ?? dropEvent,
  };
  if (servers === null || problems.length > 0) throw new ConfigurationError(problems);
  return { servers, ...resolved };
}

type NumberOption = 'partitions' | 'connectTimeoutMs' | 'commandTimeoutMs' | 'giveUpMs' | 'keepAliveMs' | 'maxOutstanding';

function addressOf(url: string, problems: string[]): StoreAddress | null {
  const parsed = parseStoreAddress(url);
  if (!('faults' in parsed)) return parsed;
  problems.push(...parsed.faults.map((fault) => `url ${fault}`));
  return null;
}

function serversOf(config: RedisStorageConfig, url: StoreAddress | null, problems: string[]): Servers | null {
  const given = [config.url, config.sentinels, config.nodes].filter((one) => one !== undefined);
  if (given.length !== 1) problems.push(`exactly one of url, sentinels and nodes must be given, not ${given.length}`);
  for (const { host, port } of [...(config.sentinels ?? []), ...(config.nodes ?? [])]) {
    if (host === '' || !Number.isInteger(port) || port < 1 || port > 65_535) problems.push(`${host}:${port} is no address`);
  }
  if (config.sentinels !== undefined) {
    if (config.sentinels.length === 0) problems.push('sentinels must name at least one');
    if (!config.name) problems.push('name of the master must be given with sentinels');
    return { kind: 'sentinel', sentinels: config.sentinels, name: config.name ?? '' };
  }
  if (config.nodes !== undefined) {
    if (config.nodes.length === 0) problems.push('nodes must name at least one');
    return { kind: 'cluster', nodes: config.nodes };
  }
  return url?.servers ?? null;
}

function tlsOf(tls: boolean | ConnectionOptions): ConnectionOptions | null {
  if (tls === false) return null;
  return tls === true ? {} : tls;
}

function dropEvent(): void {
  // Nobody subscribed to the events of this store.
}
