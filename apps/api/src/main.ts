import 'reflect-metadata';
import { ConfigurationError, logEvents, redactCredentials, systemClock, systemRandomness } from '@millrace/durable';
import { createPayloadCodec, RedisStorage } from '@millrace/storage';
import { type ApiConfig, loadConfig } from './config/config.js';
import { createLogger, type Logger } from './logging/logger.js';
import { type ApiServer, startServer } from './server.js';

/**
 * How the process ends: 0 stopped in good order, 1 something had to be cut or a second signal came, 78 (EX_CONFIG) the
 * configuration is not valid, 70 (EX_SOFTWARE) a fault of the program.
 */
const exitCodes = { clean: 0, cut: 1, software: 70, configuration: 78 } as const;

async function main(): Promise<void> {
  const config = loadConfig();
  const logger = createLogger(config);
  surviveFaults(logger);
  const server = await startServer({
    config,
    openStorage: (namespace) => openRedis(config, namespace, logger),
    codec: createPayloadCodec({ maxBytes: config.payloadLimitBytes }),
    clock: systemClock,
    random: systemRandomness,
    logger,
    onFatal: (error) => fail(error),
  });
  logger.info({ url: server.url, tokens: config.tokens.length }, 'the API listens');
  stopOnSignals(server, logger);
}

function openRedis(config: ApiConfig, namespace: string, logger: Logger): Promise<RedisStorage> {
  const { redisUrl: url, partitions } = config;
  return RedisStorage.open({ url, namespace, partitions, clock: systemClock, random: systemRandomness, emit: logEvents(logger) });
}

/** A rejection that nobody awaited must not take down the requests that are under way. What is thrown in no request may. */
function surviveFaults(logger: Logger): void {
  process.on('unhandledRejection', (reason) => logger.error({ err: reason }, 'an unhandled rejection'));
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'an uncaught exception');
    process.exit(exitCodes.software);
  });
}

function stopOnSignals(server: ApiServer, logger: Logger): void {
  let isStopping = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (isStopping) process.exit(exitCodes.cut);
    isStopping = true;
    logger.info({ signal }, 'the API stops');
    server.stop().then(
      (isClean) => process.exit(isClean ? exitCodes.clean : exitCodes.cut),
      (error: unknown) => fail(error),
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}

function fail(error: unknown): never {
  const isConfiguration = error instanceof ConfigurationError;
  const text = isConfiguration ? error.message : String(error instanceof Error ? error.stack : error);
  process.stderr.write(`${redactCredentials(text)}\n`);
  process.exit(isConfiguration ? exitCodes.configuration : exitCodes.software);
}

main().catch(fail);
