import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { backoffMs, type BackoffOptions, defaultBackoff, resolveBackoff } from './backoff.js';
import { MAX_DURATION_MS } from './durations.js';

describe('backoff as data', () => {
  it('applies the defaults', () => {
    expect(resolveBackoff({ type: 'exponential', delay: '200ms' })).toEqual({
      type: 'exponential',
      delayMs: 200,
      factor: 2,
      maxMs: 60_000,
      jitter: 0,
    });
    expect(resolveBackoff({ type: 'fixed', delay: '5m' })).toMatchObject({ delayMs: 300_000, maxMs: 300_000 });
    expect(resolveBackoff({ type: 'fixed', delay: '5m', max: '1m' })).toMatchObject({ maxMs: 60_000 });
  });

  it('doubles up to its bound', () => {
    const delays = [1, 2, 3, 6, 7, 8].map((attempt) => backoffMs(defaultBackoff, attempt, 0).delayMs);
    expect(delays).toEqual([1000, 2000, 4000, 32_000, 60_000, 60_000]);
    expect(backoffMs(resolveBackoff({ type: 'fixed', delay: 700 }), 9, 0)).toEqual({ delayMs: 700 });
  });

  it('takes jitter off the delay, never on top of it', () => {
    const policy = resolveBackoff({ type: 'exponential', delay: '10s', jitter: 0.5 });
    expect([0, 0.5, 0.999].map((random) => backoffMs(policy, 1, random).delayMs)).toEqual([10_000, 7500, 5005]);
  });

  it('is a finite whole number within its bound for every policy and attempt (B32)', () => {
    const policies = fc.record<BackoffOptions>(
      {
        type: fc.constantFrom('fixed', 'exponential'),
        delay: fc.oneof(fc.constantFrom(0, 1, 1000, '10d'), fc.nat({ max: MAX_DURATION_MS })),
        factor: fc.double({ min: 1, max: 1000, noNaN: true }),
        max: fc.nat({ max: MAX_DURATION_MS }),
        jitter: fc.double({ min: 0, max: 1, noNaN: true }),
      },
      { requiredKeys: ['type', 'delay'] },
    );
    const attempts = fc.oneof(fc.constantFrom(31, 53, 64, 1100, 2000, Number.MAX_SAFE_INTEGER), fc.integer({ min: 0, max: 2000 }));
    fc.assert(
      fc.property(policies, attempts, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (options, attempt, random) => {
        const policy = resolveBackoff(options);
        const { delayMs, note } = backoffMs(policy, attempt, random);
        expect(Number.isSafeInteger(delayMs) && delayMs >= 0 && delayMs <= policy.maxMs).toBe(true);
        expect(note).toBeUndefined();
      }),
    );
  });

  it('names every fault of its options', () => {
    const options = { type: 'linear', delay: '1 week', factor: 0, max: -1, jitter: 2, delai: 1 } as unknown as BackoffOptions;
    const paths = ['type', 'delay', 'factor', 'max', 'jitter', 'delai'].map((key) => expect.objectContaining({ path: `backoff.${key}` }));
    expect(() => resolveBackoff(options)).toThrow(expect.objectContaining({ details: expect.objectContaining({ problems: paths }) }));
    expect(() => resolveBackoff(null as unknown as BackoffOptions)).toThrow(/must be an object/);
  });
});

describe('backoff as a function', () => {
  it('takes its answer, rounded and at most ten years', () => {
    const seen: unknown[] = [];
    const error = new Error('x');
    const byAttempt = (attempt: number, thrown: unknown) => {
      seen.push(attempt, thrown);
      return 1.6;
    };
    expect(backoffMs(byAttempt, 3, 0, error)).toEqual({ delayMs: 2 });
    expect(seen).toEqual([3, error]);
    expect(backoffMs(() => 1e300, 1, 0)).toEqual({ delayMs: MAX_DURATION_MS, note: expect.stringContaining('ten years') });
    expect(Object.is(backoffMs(() => -0, 1, 0).delayMs, 0)).toBe(true);
  });

  it.each<[unknown, string]>([
    [Number.NaN, 'gave NaN'],
    [-1, 'gave -1'],
    [Number.POSITIVE_INFINITY, 'gave Infinity'],
    ['5', 'gave "5"'],
    [undefined, 'gave undefined'],
    [null, 'gave null'],
    [Symbol('s'), 'gave a symbol'],
    [{ valueOf: () => 1 }, 'gave an object'],
  ])('falls to the default when it gives %p, and says so', (answer, note) => {
    expect(backoffMs(() => answer as number, 2, 0)).toEqual({ delayMs: 2000, note: `the backoff function ${note}; the default was taken` });
  });

  it('falls to the default when it throws, whatever it throws', () => {
    for (const thrown of [new Error('no'), null, Object.create(null)]) {
      const answer = backoffMs(
        () => {
          throw thrown;
        },
        3,
        0,
      );
      expect(answer).toEqual({
        delayMs: 4000,
        note: expect.stringMatching(/^the backoff function threw (an error|null|an object); the default was taken$/),
      });
    }
  });
});
