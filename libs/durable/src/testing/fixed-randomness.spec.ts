import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fixedRandomness } from './fixed-randomness.js';

describe('fixedRandomness', () => {
  it('gives the same values for the same seed and others for another', () => {
    const draw = (seed: number) => {
      const random = fixedRandomness(seed);
      return Array.from({ length: 20 }, () => random.bits64());
    };
    expect(draw(7)).toEqual(draw(7));
    expect(fixedRandomness(7).bits64()).not.toBe(fixedRandomness(8).bits64());
  });

  it('gives names of 11 base64url characters that do not repeat, and fractions in [0, 1)', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const random = fixedRandomness(seed);
        const names = Array.from({ length: 50 }, () => random.bits64());
        expect(new Set(names).size).toBe(50);
        for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{11}$/);
        const fraction = random.fraction();
        expect(fraction >= 0 && fraction < 1).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});
