import { inspect } from 'node:util';

/*
 * Reads of a thrown value. It may be anything: nothing here throws, and nothing reads a long text twice.
 */

export function safeGet(value: unknown, key: string): unknown {
  try {
    return (value as Record<string, unknown> | null | undefined)?.[key];
  } catch {
    // A getter or Proxy threw. The property counts as absent: there is another error to report.
    return undefined;
  }
}

/** An error, or an object that has a message like one (of another realm, or thrown as a literal). */
export function isErrorLike(thrown: unknown): thrown is object {
  return typeof thrown === 'object' && thrown !== null && typeof safeGet(thrown, 'message') === 'string';
}

/** The error's name, or that of its class when the name says only `Error`; `NonError` for what is none. */
export function nameOf(thrown: unknown): string {
  const isObject = typeof thrown === 'object' && thrown !== null;
  const name = isObject ? safeGet(thrown, 'name') : undefined;
  if (typeof name === 'string' && name !== '' && name !== 'Error') return name;
  const className = isObject ? safeGet(safeGet(thrown, 'constructor'), 'name') : undefined;
  if (!isErrorLike(thrown)) return 'NonError';
  return typeof className === 'string' && className !== '' && className !== 'Object' ? className : 'Error';
}

/** The message, the thrown text, or a short picture of the thrown value. */
export function messageOf(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown;
  const message = isErrorLike(thrown) ? safeGet(thrown, 'message') : undefined;
  return typeof message === 'string' ? message : `thrown: ${preview(thrown)}`;
}

export function codeOf(thrown: unknown): string | number | undefined {
  const code = typeof thrown === 'object' ? safeGet(thrown, 'code') : undefined;
  return (typeof code === 'string' && code !== '') || (typeof code === 'number' && Number.isFinite(code)) ? code : undefined;
}

/** The stack without its first lines, which repeat name and message; '' when there is none. */
export function framesOf(thrown: unknown): string {
  const stack = typeof thrown === 'object' ? safeGet(thrown, 'stack') : undefined;
  if (typeof stack !== 'string') return '';
  const message = messageOf(thrown);
  const messageAt = stack.indexOf(message);
  const at = stack.indexOf('\n    at ', messageAt < 0 ? 0 : messageAt + message.length);
  return at < 0 ? '' : stack.slice(at + 1);
}

/** Calls no code of the value: no getters, no custom inspection, no Proxy traps. */
function preview(value: unknown): string {
  try {
    return inspect(value, {
      depth: 1,
      customInspect: false,
      getters: false,
      showProxy: false,
      maxStringLength: 200,
      maxArrayLength: 10,
      breakLength: Infinity,
    });
  } catch {
    return `a value of type ${typeof value} that cannot be shown`;
  }
}
