import { randomBytes } from 'node:crypto';
import type { Randomness } from '../ports/clock.js';

/** Randomness of this process: names come from the operating system's generator, fractions (jitter) from a fast one. */
export const systemRandomness: Randomness = {
  bits64: () => randomBytes(8).toString('base64url'),
  fraction: () => Math.random(),
};
