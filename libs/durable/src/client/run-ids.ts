import { hash } from 'node:crypto';
import type { Clock, Randomness } from '../ports/clock.js';

/** Crockford's base 32: no I, L, O, U. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_DIGITS = 10;
const RANDOM_DIGITS = 16;
const KEY_DIGITS = 25;
/** The time digits of a made id begin with 0–7 until the year 10889, so an id of a key is never an id that was made. */
const KEY_MARK = 'K';

/** A new run id: 26 characters of `0-9 A-Z`, 48 bits of wall time in ms and 80 random bits. Ids of later milliseconds sort later. */
export function newRunId(clock: Clock, random: Randomness): string {
  const bits = Buffer.alloc(16);
  bits.write(random.bits64(), 0, 'base64url');
  bits.write(random.bits64(), 8, 'base64url');
  return timeDigits(clock.wall()) + digitsOf(bits, RANDOM_DIGITS);
}

/**
 * The run id that an idempotency key stands for in a namespace: 26 characters, `K` and 125 bits of SHA-256. Key and run are
 * one record, so neither can outlive the other.
 */
export function runIdOfKey(namespace: string, idempotencyKey: string): string {
  // `|` is in no namespace, so no other pair gives the same text.
  return KEY_MARK + digitsOf(hash('sha256', `${namespace}|${idempotencyKey}`, 'buffer'), KEY_DIGITS);
}

function timeDigits(wallMs: number): string {
  let digits = '';
  for (let rest = Math.trunc(wallMs); digits.length < TIME_DIGITS; rest = Math.floor(rest / 32)) digits = DIGITS.charAt(rest % 32) + digits;
  return digits;
}

/** The lowest digits of a number, the lowest first. Five bits at a time: as one bigint it would cost more than all else of an id. */
function digitsOf(bytes: Uint8Array, count: number): string {
  let digits = '';
  let bits = 0;
  let bitCount = 0;
  for (let at = bytes.length - 1; digits.length < count; bits >>= 5, bitCount -= 5) {
    if (bitCount < 5) {
      bits |= (bytes[at--] ?? 0) << bitCount;
      bitCount += 8;
    }
    digits += DIGITS.charAt(bits & 31);
  }
  return digits;
}
