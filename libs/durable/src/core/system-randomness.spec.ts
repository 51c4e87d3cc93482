import { describe, expect, it } from '@jest/globals';
import { systemRandomness } from './system-randomness.js';

describe('systemRandomness', () => {
  it('gives 64 bits as 11 base64url characters, never the same', () => {
    const names = new Set(Array.from({ length: 1_000 }, () => systemRandomness.bits64()));
    expect(names.size).toBe(1_000);
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{11}$/);
  });

  it('gives fractions in [0, 1)', () => {
    const fractions = Array.from({ length: 1_000 }, () => systemRandomness.fraction());
    expect(fractions.every((fraction) => fraction >= 0 && fraction < 1)).toBe(true);
    expect(new Set(fractions).size).toBeGreaterThan(900);
  });
});
