import type { Randomness } from '../ports/clock.js';

const MASK_64 = (1n << 64n) - 1n;

/**
 * Randomness that repeats itself: the same seed gives the same values in the same order, and different seeds give
 * different ones. The generator is splitmix64 (Steele, Lea, Flood 2014).
 *
 * @param seed any integer. @defaultValue 1
 */
export function fixedRandomness(seed = 1): Randomness {
  let state = BigInt.asUintN(64, BigInt(seed));
  const next = (): bigint => {
    state = (state + 0x9e3779b97f4a7c15n) & MASK_64;
    let mixed = state;
    mixed = ((mixed ^ (mixed >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK_64;
    mixed = ((mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn) & MASK_64;
    return mixed ^ (mixed >> 31n);
  };
  return {
    bits64: () => Buffer.from(next().toString(16).padStart(16, '0'), 'hex').toString('base64url'),
    fraction: () => Number(next() >> 11n) / 2 ** 53,
  };
}
