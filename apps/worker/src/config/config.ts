import { ConfigurationError, isNamespace, type WorkerOptions } from '@millrace/durable';
import { addressFaults } from '@millrace/storage';
import { type Environment, EnvReader, shown } from './env-reader.js';
import { readWorkerOptions, workerOptionFaults } from './worker-settings.js';

/** Levels of the log, most talkative first. */
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** The settings of the worker process, checked. */
export interface WorkerConfig {
  /** MILLRACE_REDIS_URL: address of one server, a cluster or sentinels. @defaultValue redis://127.0.0.1:6379 */
  readonly redisUrl: string;
  /** MILLRACE_NAMESPACE. @defaultValue default */
  readonly namespace: string;
  /** MILLRACE_PARTITIONS: compared with what the namespace was made with. @defaultValue 16 */
  readonly partitions: number;
  /** MILLRACE_WORKFLOWS: paths of modules, separated by commas. Must be set. */
  readonly workflowModules: readonly string[];
  /** MILLRACE_CONCURRENCY, _CLAIMS, _LEASE, _HEARTBEAT, _GRACE, _QUEUES, _WORKER_NAME and so on: see `WorkerOptions`. */
  readonly options: WorkerOptions;
  /** MILLRACE_PAYLOAD_LIMIT, bytes. @defaultValue 1 MiB */
  readonly payloadLimitBytes: number;
  /** MILLRACE_LOG_LEVEL. @defaultValue info */
  readonly logLevel: (typeof logLevels)[number];
  /** MILLRACE_HEALTH_PORT (0 takes a free one) and MILLRACE_HEALTH_HOST. @defaultValue none, 127.0.0.1 */
  readonly health: { readonly host: string; readonly port: number } | null;
}

const MIB = 1024 * 1024;

/**
 * Reads the settings of the worker. This file alone reads the environment.
 * @throws ConfigurationError naming every setting that is wrong
 */
export function loadConfig(env: Environment = process.env): WorkerConfig {
  const reader = new EnvReader(env);
  const config: WorkerConfig = {
    redisUrl: readRedisUrl(reader),
    namespace: readNamespace(reader),
    partitions: reader.integer('MILLRACE_PARTITIONS', 16, { min: 1, max: 4096 }),
    workflowModules: readModules(reader),
    options: readWorkerOptions(reader),
    payloadLimitBytes: reader.integer('MILLRACE_PAYLOAD_LIMIT', MIB, { min: 1024, max: 64 * MIB }),
    logLevel: reader.oneOf('MILLRACE_LOG_LEVEL', 'info', logLevels),
    health: readHealth(reader),
  };
  const faults = [...reader.faults, ...workerOptionFaults(config.options)];
  if (faults.length > 0) throw new ConfigurationError(faults);
  return Object.freeze(config);
}

/** The settings as the log shows them at start: no address of Redis, which may hold a password. */
export function describeConfig({ redisUrl: _redisUrl, ...settings }: WorkerConfig): object {
  return settings;
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

function readModules(reader: EnvReader): string[] {
  const modules = reader.list('MILLRACE_WORKFLOWS');
  if (modules === undefined) reader.fault('MILLRACE_WORKFLOWS', 'must name the modules to load, separated by commas');
  return modules ?? [];
}

function readHealth(reader: EnvReader): WorkerConfig['health'] {
  const host = reader.text('MILLRACE_HEALTH_HOST', '127.0.0.1');
  if (reader.raw('MILLRACE_HEALTH_PORT') === undefined) return null;
  return { host, port: reader.integer('MILLRACE_HEALTH_PORT', 0, { min: 0, max: 65_535 }) };
}
