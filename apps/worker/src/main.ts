import 'reflect-metadata';
import { ConfigurationError, durationMs, logEvents, redactCredentials, systemClock, systemRandomness } from '@millrace/durable';
import { createPayloadCodec, RedisStorage, redisWorkerStorage } from '@millrace/storage';
import { describeConfig, loadConfig, type WorkerConfig } from './config/config.js';
import { exitCodes } from './exit-codes.js';
import { startHealthServer } from './health-server.js';
import { loadModules } from './load-modules.js';
import { createLogger, type Logger } from './logger.js';
import { type OpenedStorage, WorkerApp } from './worker-app.js';

/** After a signal the process ends within the grace period and this, ms, whatever hangs. */
const HARD_DEADLINE_MS = 5000;
const DEFAULT_GRACE_MS = 25_000;

async function main(): Promise<void> {
  const config = loadConfig();
  const logger = createLogger(config);
  surviveFaults(logger);
  logger.info(describeConfig(config), 'the worker process starts');
  const app = new WorkerApp({
    config,
    load: () => loadModules(config.workflowModules),
    openStorage: () => openRedis(config, logger),
    codec: createPayloadCodec({ maxBytes: config.payloadLimitBytes }),
    logger,
    clock: systemClock,
    random: systemRandomness,
  });
  stopOnSignals(app, config, logger);
  if (config.health !== null) {
    const server = await startHealthServer({ ...config.health, health: () => app.health() });
    logger.info({ url: server.url }, 'health is answered');
  }
  await app.start();
}

async function openRedis({ redisUrl: url, namespace, partitions }: WorkerConfig, logger: Logger): Promise<OpenedStorage> {
  const redis = { url, namespace, partitions };
  const storage = await RedisStorage.open({ ...redis, clock: systemClock, random: systemRandomness, emit: logEvents(logger) });
  return { storage: redisWorkerStorage(storage, redis), warnings: storage.describe().warnings, close: () => storage.close() };
}

/**
 * A rejection that nobody awaited, in a step or elsewhere in user code, must not take down the runs beside it. What is
 * thrown outside of any promise leaves the process in no known state: it ends, and its claims are taken over.
 */
function surviveFaults(logger: Logger): void {
  process.on('unhandledRejection', (reason) => logger.error({ err: reason }, 'an unhandled rejection'));
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'an uncaught exception');
    process.exit(exitCodes.software);
  });
}

function stopOnSignals(app: WorkerApp, config: WorkerConfig, logger: Logger): void {
  let isStopping = false;
  const graceMs = durationMs(config.options.grace) ?? DEFAULT_GRACE_MS;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (isStopping) process.exit(exitCodes.cut);
    isStopping = true;
    logger.info({ signal }, 'the worker process stops');
    systemClock.after(graceMs + HARD_DEADLINE_MS, () => process.exit(exitCodes.cut));
    app.stop().then(
      (isClean) => process.exit(isClean ? exitCodes.clean : exitCodes.cut),
      (error: unknown) => fail(error),
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}

function fail(error: unknown): never {
  const isConfiguration = error instanceof ConfigurationError;
  const text = isConfiguration ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${redactCredentials(text)}\n`);
  process.exit(isConfiguration ? exitCodes.configuration : exitCodes.software);
}

main().catch(fail);
