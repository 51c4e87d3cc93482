import { ConfigurationError, durationFault, durationMs, isNamespace } from '@millrace/durable';
import { addressFaults } from '@millrace/storage';
import { type ApiToken, readTokens } from './api-token.js';
import { EnvReader, type Environment, shown } from './env-reader.js';

/** Levels of the log, most talkative first. */
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** The settings of the API, checked. The README's table of environment variables says how each is set. */
export interface ApiConfig {
  readonly redisUrl: string;
  /** Without tokens: the one namespace that is served. */
  readonly namespace: string;
  /** Hash-slot groups of a namespace; compared with what the store says. */
  readonly partitions: number;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Empty: no credentials are asked for, and only loopback is listened on. */
  readonly tokens: readonly ApiToken[];
  readonly bodyLimitBytes: number;
  readonly payloadLimitBytes: number;
  /** How long a stop waits for requests that are under way. */
  readonly graceMs: number;
  /** Requests a minute and token (without tokens: and address); 0 is no limit. */
  readonly rateLimitPerMinute: number;
  /** Requests worked on at once; more are answered 503. */
  readonly maxInFlight: number;
  /** Long polls and event streams open at once; more are answered 503. */
  readonly maxWaiting: number;
  readonly logLevel: (typeof logLevels)[number];
}

const MIB = 1024 * 1024;

/**
 * Reads the settings of the API. This file alone reads the environment.
 * @throws ConfigurationError naming every setting that is wrong
 */
export function loadConfig(env: Environment = process.env): ApiConfig {
  const reader = new EnvReader(env);
  const config: ApiConfig = {
    redisUrl: readRedisUrl(reader),
    namespace: readNamespace(reader),
    partitions: reader.integer('MILLRACE_PARTITIONS', 16, { min: 1, max: 4096 }),
    host: reader.text('MILLRACE_HOST', '127.0.0.1'),
    port: reader.integer('MILLRACE_PORT', 8080, { min: 0, max: 65_535 }),
    tokens: readTokens(reader.text('MILLRACE_TOKENS', '[]'), (message) => reader.fault('MILLRACE_TOKENS', message)),
    bodyLimitBytes: reader.integer('MILLRACE_BODY_LIMIT', 4 * MIB, { min: 1024, max: 64 * MIB }),
    payloadLimitBytes: reader.integer('MILLRACE_PAYLOAD_LIMIT', MIB, { min: 1024, max: 64 * MIB }),
    graceMs: readGrace(reader),
    rateLimitPerMinute: reader.integer('MILLRACE_RATE_LIMIT', 0, { min: 0, max: 1_000_000 }),
    maxInFlight: reader.integer('MILLRACE_MAX_IN_FLIGHT', 1_000, { min: 1, max: 100_000 }),
    maxWaiting: reader.integer('MILLRACE_MAX_WAITING', 2_000, { min: 1, max: 100_000 }),
    logLevel: reader.oneOf('MILLRACE_LOG_LEVEL', 'info', logLevels),
  };
  checkTogether(config, reader);
  if (reader.faults.length > 0) throw new ConfigurationError(reader.faults);
  return Object.freeze(config);
}

/** Namespaces that the configuration serves. */
export function servedNamespaces({ tokens, namespace }: Pick<ApiConfig, 'tokens' | 'namespace'>): string[] {
  return tokens.length === 0 ? [namespace] : [...new Set(tokens.map((token) => token.namespace))];
}

function readRedisUrl(reader: EnvReader): string {
  const name = 'MILLRACE_REDIS_URL';
  const url = reader.text(name, 'redis://127.0.0.1:6379');
  for (const fault of addressFaults(url)) reader.fault(name, fault);
  return url;
}

function readNamespace(reader: EnvReader): string {
  const namespace = reader.text('MILLRACE_NAMESPACE', 'default');
  if (!isNamespace(namespace))
    reader.fault('MILLRACE_NAMESPACE', `must be 1 to 40 of a-z, 0-9 and -, the first no -, not ${shown(namespace)}`);
  return namespace;
}

function readGrace(reader: EnvReader): number {
  const text = reader.text('MILLRACE_GRACE', '25s');
  const ms = durationMs(text);
  if (ms === null) reader.fault('MILLRACE_GRACE', durationFault(text));
  return ms ?? 0;
}

function checkTogether(config: ApiConfig, reader: EnvReader): void {
  if (config.payloadLimitBytes > config.bodyLimitBytes) {
    reader.fault('MILLRACE_PAYLOAD_LIMIT', `(${config.payloadLimitBytes}) must not be over MILLRACE_BODY_LIMIT (${config.bodyLimitBytes})`);
  }
  if (config.tokens.length === 0 && !isLoopback(config.host)) {
    reader.fault('MILLRACE_HOST', `must be a loopback address while MILLRACE_TOKENS has none, not ${shown(config.host)}`);
  }
}

/** True for an address that only this machine reaches. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}
