import type { ErrorCodec } from '@millrace/durable';
import { cutText, jsonBytes } from './cut-text.js';
import { isPlainJson } from './plain-json.js';
import { codeOf, framesOf, isErrorLike, messageOf, nameOf, safeGet } from './thrown-values.js';

/** A thrown value as it is stored: plain JSON. */
interface StoredError {
  name: string;
  message: string;
  code?: string | number;
  /** Frames only: name and message would be there twice. */
  stack?: string;
  details?: object;
  cause?: StoredError;
}

const LEAST_BYTES = 256;
const NAME_BYTES = 120;
const CODE_BYTES = 40;
/** Part of the room that message, details or cause may take while more is to come. */
const SHARE = 0.6;
/** A shorter piece of stack tells nothing. */
const LEAST_STACK_BYTES = 60;
const MAX_CAUSES = 8;
const DETAILS_DEPTH = 8;

/**
 * Whatever was thrown, as a text of at most `maxBytes` that names it. Name, code and message come first, then details (when they are plain
 * JSON that fits), causes (cycles cut), and as much of the stack as there is room for.
 */
export function encodeError(thrown: unknown, { maxBytes = 2048 }: Readonly<{ maxBytes?: number }> = {}): string {
  return JSON.stringify(describe(thrown, Math.max(maxBytes, LEAST_BYTES), []));
}

/** The stored error as an `Error` with the same name, message, code, details and causes. */
export function decodeError(text: string): Error {
  let stored: unknown;
  try {
    stored = JSON.parse(text);
  } catch {
    stored = null;
  }
  return isStored(stored)
    ? revive(stored, 0)
    : revive({ name: 'UnreadableError', message: 'a stored error cannot be read', code: 'payload_corrupt' }, 0);
}

export const errorCodec: ErrorCodec = Object.freeze({ encodeError, decodeError });

function describe(thrown: unknown, room: number, outer: readonly unknown[]): StoredError {
  const stored: StoredError = { name: cutText(nameOf(thrown), NAME_BYTES), message: '' };
  const left = (overhead: number) => room - Buffer.byteLength(JSON.stringify(stored)) - overhead;

  const code = codeOf(thrown);
  if (code !== undefined) stored.code = typeof code === 'string' ? cutText(code, CODE_BYTES) : code;

  const stack = framesOf(thrown);
  const cause = causeOf(thrown, [...outer, thrown]);
  const isLast = stack === '' && cause === undefined;
  stored.message = cutText(messageOf(thrown), isLast ? left(0) : Math.floor(left(0) * SHARE));

  const details = copySmallObject(safeGet(thrown, 'details'), left(',"details":'.length) * SHARE);
  if (details !== null) stored.details = details;

  const causeRoom = Math.floor(left(',"cause":'.length) * SHARE);
  if (cause !== undefined && causeRoom >= LEAST_BYTES) stored.cause = describe(cause.value, causeRoom, [...outer, thrown]);

  const stackRoom = left(',"stack":""'.length);
  if (stack !== '' && stackRoom >= LEAST_STACK_BYTES) stored.stack = cutLines(stack, stackRoom);
  return stored;
}

/** Undefined: there is none, it is one of the errors around it (a cycle), or the chain is too long. */
function causeOf(thrown: unknown, outer: readonly unknown[]): { readonly value: unknown } | undefined {
  if (!isErrorLike(thrown) || outer.length > MAX_CAUSES) return undefined;
  const value = safeGet(thrown, 'cause');
  return value === undefined || outer.includes(value) ? undefined : { value };
}

/** A copy of plain JSON that fits, so that no getter is read again; null: there is none, or it does not fit. */
function copySmallObject(details: unknown, room: number): object | null {
  if (typeof details !== 'object' || details === null || !isPlainJson(details, { maxBytes: room, maxDepth: DETAILS_DEPTH })) return null;
  try {
    const text = JSON.stringify(details);
    return text === '{}' || Buffer.byteLength(text) > room ? null : (JSON.parse(text) as object);
  } catch {
    // A getter that threw only now. Details are an extra: the error itself is still told.
    return null;
  }
}

/** Whole lines only. */
function cutLines(text: string, maxBytes: number): string {
  if (jsonBytes(text.slice(0, maxBytes + 1)) <= maxBytes) return text;
  const cut = cutText(text, maxBytes);
  const end = cut.lastIndexOf('\n');
  return end > 0 ? cut.slice(0, end) : cut;
}

function isStored(value: unknown): value is StoredError {
  if (typeof value !== 'object' || value === null) return false;
  const { name, message } = value as Record<string, unknown>;
  return typeof name === 'string' && typeof message === 'string';
}

function revive({ name, message, code, stack, details, cause }: StoredError, depth: number): Error {
  const error = new Error(message, isStored(cause) && depth < MAX_CAUSES ? { cause: revive(cause, depth + 1) } : undefined);
  const frames = typeof stack === 'string' ? `\n${stack}` : '';
  Object.defineProperty(error, 'name', { value: name, writable: true, configurable: true });
  Object.defineProperty(error, 'stack', { value: `${name}: ${message}${frames}`, writable: true, configurable: true });
  return Object.assign(error, code === undefined ? {} : { code }, details === undefined ? {} : { details });
}
