import { isUtf8 } from 'node:buffer';
import { HttpProblem } from './problem.js';

/**
 * Deepest nesting of a body. Payloads have a limit of their own (64), which names the payload; this one only keeps
 * recursive code safe before that.
 */
const MAX_DEPTH = 80;

/**
 * Parses a JSON body. Keys such as `__proto__` become own keys of the value and touch no prototype. An empty body is no value.
 *
 * @throws HttpProblem 400: not UTF-8, not JSON, nested too deep, or a number that JavaScript cannot keep: a whole number beyond
 * ±(2^53 − 1), or one that overflows. Send such a number as text.
 */
export function parseJsonBody(body: Uint8Array): unknown {
  if (body.length === 0) return undefined;
  // A decoder would put replacement characters where the client wrote something else.
  if (!isUtf8(body)) throw new HttpProblem({ status: 400, code: 'invalid_json', detail: 'the body is not UTF-8' });
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString();
  const value = parse(text);
  checkText(text);
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    // The parser's message quotes the body; only the place is of use and safe.
    const place = /position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
    throw new HttpProblem({
      status: 400,
      code: 'invalid_json',
      detail: `the body is not JSON${place === undefined ? '' : `: fault at position ${place}`}`,
    });
  }
}

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** Walks over a text that is known to be JSON, by hand: a pattern for strings would backtrack over megabytes. */
function checkText(text: string): void {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') at = endOfString(text, at);
    else if (character === '[' || character === '{') depth = deeper(depth);
    else if (character === ']' || character === '}') depth -= 1;
    else if (character === '-' || (character >= '0' && character <= '9')) at = checkNumber(text, at) - 1;
  }
}

function endOfString(text: string, start: number): number {
  let at = text.indexOf('"', start + 1);
  while (isEscaped(text, at)) at = text.indexOf('"', at + 1);
  return at;
}

/** True when an odd number of backslashes stands before the place. */
function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text.charAt(before - 1) === '\\') before -= 1;
  return (at - before) % 2 === 1;
}

function deeper(depth: number): number {
  if (depth < MAX_DEPTH) return depth + 1;
  throw new HttpProblem({
    status: 400,
    code: 'too_deep',
    detail: `the body is nested deeper than ${MAX_DEPTH}`,
    members: { limit: MAX_DEPTH },
  });
}

/** Answers where the number ends. */
function checkNumber(text: string, start: number): number {
  NUMBER.lastIndex = start;
  const literal = NUMBER.exec(text)?.[0] ?? '';
  const value = Number(literal);
  const isKept = /^-?\d+$/.test(literal) ? Number.isSafeInteger(value) : Number.isFinite(value);
  if (isKept) return start + literal.length;
  const shown = literal.length > 40 ? `${literal.slice(0, 40)}…` : literal;
  throw new HttpProblem({
    status: 400,
    code: 'unsafe_number',
    detail: `the number ${shown} at position ${start} cannot be kept exactly; send it as text`,
  });
}
