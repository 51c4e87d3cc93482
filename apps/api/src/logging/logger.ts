import type { LoggerService } from '@nestjs/common';
import { asError, redactCredentials } from '@millrace/durable';
import { pino } from 'pino';
import type { ApiConfig } from '../config/config.js';

/** The log of the process: JSON lines on standard output. */
export type Logger = pino.Logger;

/** Headers, paths and queries are never logged: they hold tokens, and what users name and search for. */
export function createLogger({ logLevel }: Pick<ApiConfig, 'logLevel'>): Logger {
  return pino({ level: logLevel, base: { app: 'api' }, serializers: { err: redactedError } });
}

/** Nest's own lines in our log, its start-up chatter as `debug`. */
export function nestLogger(logger: Logger): LoggerService {
  const line =
    (level: 'debug' | 'warn' | 'error') =>
    (message: unknown, ...rest: unknown[]) => {
      const context = rest.at(-1);
      logger[level](
        { context: typeof context === 'string' ? context : undefined },
        message instanceof Error ? message.message : String(message),
      );
    };
  return {
    log: line('debug'),
    debug: line('debug'),
    verbose: line('debug'),
    warn: line('warn'),
    error: line('error'),
    fatal: line('error'),
  };
}

/** An address that cannot be reached is named in messages, with the password that it may hold. */
function redactedError(error: unknown): unknown {
  const { message, stack, ...rest } = pino.stdSerializers.err(asError(error));
  return { ...rest, message: redactCredentials(message), stack: redactCredentials(stack) };
}
