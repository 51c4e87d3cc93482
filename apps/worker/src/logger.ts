import type { LoggerService } from '@nestjs/common';
import { pino } from 'pino';
import type { WorkerConfig } from './config/config.js';

/** The log of the process: JSON lines on standard output. */
export type Logger = pino.Logger;

export function createLogger({ logLevel }: Pick<WorkerConfig, 'logLevel'>): Logger {
  return pino({ level: logLevel, base: { app: 'worker' } });
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
