import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { signalled } from '../testing/signalled.js';
import { systemClock } from './system-clock.js';

describe('systemClock', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  it('never calls back before the instant', async () => {
    const signals = signalled<number>();
    const askedAt = systemClock.monotonic();
    systemClock.after(5.5, () => signals.raise('due', systemClock.monotonic()));
    expect((await signals.waitFor('due')) - askedAt).toBeGreaterThanOrEqual(5.5);
  });

  it('chains delays that a timer cannot hold', () => {
    jest.useFakeTimers();
    const longest = 2 ** 31 - 1;
    let called = 0;
    systemClock.after(2 * longest + 1_000, () => (called += 1));
    jest.advanceTimersByTime(2 * longest + 999);
    expect([called, jest.getTimerCount()]).toEqual([0, 1]);
    jest.advanceTimersByTime(1);
    expect([called, jest.getTimerCount()]).toEqual([1, 0]);
  });

  it('cancels a chained delay in its second part', () => {
    jest.useFakeTimers();
    const cancel = systemClock.after(2 ** 32, () => {
      throw new Error('called');
    });
    jest.advanceTimersByTime(2 ** 31);
    cancel();
    jest.advanceTimersByTime(2 ** 32);
    expect(jest.getTimerCount()).toBe(0);
  });
});
