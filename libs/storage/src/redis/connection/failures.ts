/**
 * Why a call failed, as far as it matters for what to do next.
 * `connection`: no answer, and no way to know whether it was applied. `transient`: Redis refused and will take it later.
 * `moved`, `ask`: another node of the cluster has the slot. `credentials`: Redis does not let us in. `closed`: we closed.
 * `reply`: a real error of the command or script; repeating it is useless.
 */
export interface Failure {
  readonly kind: 'connection' | 'transient' | 'moved' | 'ask' | 'no-script' | 'credentials' | 'closed' | 'reply';
  /** The error code that Redis begins its replies with (`OOM`, `WRONGTYPE` …), or `CONNECTION`, `TIMEOUT`, `CLOSED`. */
  readonly code: string;
  /** A plain error: what the client library throws carries the arguments of the command, payloads and passwords included. */
  readonly error: Error;
  /** Of `moved` and `ask`: `host:port` of the node to ask. */
  readonly address?: string;
}

/** The connection was given up by us: the storage is closed. */
export class ConnectionClosedByUs extends Error {
  override readonly name = 'ConnectionClosedByUs';
}

/** An answer or a connection did not come in time. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut';
}

const TRANSIENT = new Set([
  'LOADING',
  'MASTERDOWN',
  'READONLY',
  'CLUSTERDOWN',
  'TRYAGAIN',
  'MISCONF',
  'OOM',
  'NOREPLICAS',
  'BUSY',
  'UNBLOCKED',
  'FAILOVER',
]);
const CREDENTIALS = new Set(['WRONGPASS', 'NOAUTH']);

/** Tells what kind of failure an error of the client library is. */
export function failureOf(thrown: unknown): Failure {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  if (thrown instanceof ConnectionClosedByUs) return { kind: 'closed', code: 'CLOSED', error: thrown };
  if (thrown instanceof TimedOut || message === 'Command timed out') return connectionFailure('TIMEOUT', message);
  const code = /^[A-Z]+(?= |$)/.exec(message)?.[0] ?? '';
  const error = plainError(message);
  if (CREDENTIALS.has(code)) return { kind: 'credentials', code, error };
  if (TRANSIENT.has(code)) return { kind: 'transient', code, error };
  if (code === 'NOSCRIPT') return { kind: 'no-script', code, error };
  if (code === 'MOVED' || code === 'ASK') {
    return { kind: code === 'MOVED' ? 'moved' : 'ask', code, error, address: message.split(' ')[2] ?? '' };
  }
  return thrown instanceof Error && thrown.name === 'ReplyError'
    ? { kind: 'reply', code, error }
    : connectionFailure('CONNECTION', message);
}

function connectionFailure(code: string, message: string): Failure {
  return { kind: 'connection', code, error: plainError(message) };
}

function plainError(message: string): Error {
  const error = new Error(message);
  error.name = 'RedisError';
  return error;
}

/** A script or command failed for a reason that repeating does not mend; nothing or part of it was applied. */
export class RedisCallError extends Error {
  override readonly name = 'RedisCallError';

  constructor(
    readonly call: string,
    /** The code that Redis begins its replies with: `WRONGTYPE`, `ERR`, `NOPERM` … */
    readonly code: string,
    cause: Error,
  ) {
    super(`${call} failed: ${cause.message}`, { cause });
  }
}

/** True for the error of a key that holds another type than the script expects: somebody wrote to it by hand. */
export function isWrongType(error: unknown): boolean {
  return error instanceof RedisCallError && error.code === 'WRONGTYPE';
}
