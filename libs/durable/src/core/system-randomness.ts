import { randomFillSync } from 'node:crypto';
import type { Randomness } from '../ports/clock.js';

const NAME_BYTES = 8;

/** Bytes of the operating system's generator, fetched for many names at once: a call costs more than what it answers. */
const pool = Buffer.alloc(512 * NAME_BYTES);
let used = pool.length;

function bits64(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += NAME_BYTES;
  return pool.toString('base64url', used - NAME_BYTES, used);
}

/** Randomness of this process: names come from the operating system's generator, fractions (jitter) from a fast one. */
export const systemRandomness: Randomness = {
  bits64,
  fraction: () => Math.random(),
};
