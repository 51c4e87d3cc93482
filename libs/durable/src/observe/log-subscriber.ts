import type { DurableEvent, EventSink } from '../core/events.js';
import { redactCredentials } from './redact.js';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** What a logger must have; pino has it. */
export type EventLogger = Readonly<Record<LogLevel, (fields: object, message: string) => void>>;

type EventOf<Type extends DurableEvent['type']> = Extract<DurableEvent, { readonly type: Type }>;
type Levels = { readonly [Type in DurableEvent['type']]: LogLevel | ((event: EventOf<Type>) => LogLevel) };

/** Who must look: `error` an operator, `warn` somebody soon, `info` whoever asks what happened to a run, `debug` a developer. */
const levels: Levels = {
  'run.claimed': 'debug',
  'run.parked': 'debug',
  'run.released': 'info',
  'run.ended': ({ status }) => (status === 'set-aside' ? 'error' : status === 'failed' ? 'warn' : 'info'),
  'run.abandoned': 'error',
  'claim.lost': 'warn',
  'claim.renewed': 'warn',
  'step.started': 'debug',
  'step.completed': 'debug',
  'step.failed': ({ retryInMs }) => (retryInMs === null ? 'warn' : 'info'),
  'step.late': 'warn',
  'worker.started': 'info',
  'worker.stopped': ({ clean }) => (clean ? 'info' : 'warn'),
  'claims.buried': ({ setAside }) => (setAside.length > 0 ? 'error' : 'warn'),
  'claims.taken-back': 'info',
  'record.repaired': 'warn',
  'loop.failed': 'warn',
  'loop.recovered': 'info',
  'heartbeat.stalled': 'error',
};

/**
 * Makes an event sink that writes one line an event: the type is the message, the rest are fields. Errors are logged by
 * name, code and message; payloads of errors are cut; credentials in addresses are never shown. What the logger throws
 * does not reach the code that told the event.
 */
export function logEvents(logger: EventLogger): EventSink {
  return (event) => {
    try {
      const { type, ...fields } = event;
      logger[levelOf(event)](fieldsOf(fields), type);
    } catch {
      // A log that cannot be written must not change what happens to a run; the logger's own transport tells of it.
    }
  };
}

function levelOf(event: DurableEvent): LogLevel {
  const level = levels[event.type] as LogLevel | ((event: DurableEvent) => LogLevel);
  return typeof level === 'function' ? level(event) : level;
}

const SHOWN_CHARACTERS = 1000;

function fieldsOf(fields: object): object {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, shown(value)]));
}

function shown(value: unknown): unknown {
  if (value instanceof Error) return shownError(value);
  return typeof value === 'string' ? redactCredentials(value.slice(0, SHOWN_CHARACTERS)) : value;
}

function shownError(error: Error): object {
  const { name, message, cause } = error;
  const code = 'code' in error ? { code: error.code } : {};
  return { name, ...code, message: shown(message), ...(cause instanceof Error ? { cause: shown(`${cause.name}: ${cause.message}`) } : {}) };
}
