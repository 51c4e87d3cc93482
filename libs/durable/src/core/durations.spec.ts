import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { durationMs, formatDuration, MAX_DURATION_MS, parseDuration } from './durations.js';

describe('durations', () => {
  it.each<[string | number, number]>([
    ['200ms', 200],
    ['10s', 10_000],
    ['1.5h', 5_400_000],
    ['2d', 172_800_000],
    ['1h 30m', 5_400_000],
    ['1h30m', 5_400_000],
    ['1.1s', 1100],
    ['0ms', 0],
    [250, 250],
    [0.6, 1],
    [MAX_DURATION_MS, MAX_DURATION_MS],
  ])('reads %j as %d ms', (value, ms) => {
    expect(parseDuration(value)).toBe(ms);
  });

  it('makes no negative zero', () => {
    expect(Object.is(durationMs(-0), 0)).toBe(true);
  });

  it.each([
    Number.NaN,
    -1,
    Number.POSITIVE_INFINITY,
    MAX_DURATION_MS + 1,
    '11000d',
    '-1s',
    '10',
    's',
    '',
    '1 s',
    '1s ',
    '1,5h',
    '1e3s',
    '10 minutes',
    '1S',
    '1s  1s',
  ])('refuses %j', (value) => {
    expect(durationMs(value)).toBeNull();
    expect(() => parseDuration(value, 'timeout')).toThrow(
      expect.objectContaining({ code: 'invalid_input', message: expect.stringContaining('timeout must be milliseconds or text') }),
    );
  });

  it.each([null, undefined, {}, [5], 5n, true])('refuses the non-duration %p', (value) => {
    expect(durationMs(value)).toBeNull();
  });

  it('refuses a long text without reading it', () => {
    expect(() => parseDuration('1s'.repeat(1 << 20))).toThrow(expect.objectContaining({ message: expect.stringMatching(/^.{1,300}$/) }));
  });

  it.each([
    [0, '0ms'],
    [250, '250ms'],
    [90_000, '1m 30s'],
    [93_784_005, '1d 2h 3m 4s 5ms'],
  ])('writes %d ms as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it('reads back what it wrote', () => {
    fc.assert(fc.property(fc.integer({ min: 0, max: MAX_DURATION_MS }), (ms) => parseDuration(formatDuration(ms)) === ms));
  });
});
