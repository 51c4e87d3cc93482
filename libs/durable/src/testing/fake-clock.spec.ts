import { describe, expect, it } from '@jest/globals';
import { FakeClock } from './fake-clock.js';

describe('FakeClock', () => {
  it('stands still until it is moved, and moves both clocks', () => {
    const clock = new FakeClock({ wall: 1_000, monotonic: 5 });
    expect([clock.wall(), clock.monotonic()]).toEqual([1_000, 5]);
    clock.advance(250);
    expect([clock.wall(), clock.monotonic()]).toEqual([1_250, 255]);
  });

  it('runs due callbacks in order of their instants, then of asking, each at its own instant', () => {
    const clock = new FakeClock();
    const seen: string[] = [];
    const note = (name: string) => () => seen.push(`${name}@${clock.monotonic()}`);
    clock.after(20, note('c'));
    clock.after(10, note('a'));
    clock.after(10, note('b'));
    clock.after(31, note('not yet'));
    clock.advance(30);
    expect(seen).toEqual(['a@10', 'b@10', 'c@20']);
    expect(clock.nextDueInMs).toBe(1);
  });

  it('runs callbacks that were asked for by callbacks on the way', () => {
    const clock = new FakeClock();
    const seen: number[] = [];
    const tick = (): void => {
      seen.push(clock.monotonic());
      clock.after(10, tick);
    };
    clock.after(10, tick);
    clock.advance(35);
    expect(seen).toEqual([10, 20, 30]);
    expect(clock.pendingCount).toBe(1);
  });

  it('lets asynchronous work between two instants ask for the next one', async () => {
    const clock = new FakeClock();
    const seen: number[] = [];
    const loop = async (): Promise<void> => {
      for (let round = 0; round < 3; round += 1) {
        await new Promise<void>((resolve) => clock.after(10, resolve));
        seen.push(clock.monotonic());
      }
    };
    const done = loop();
    await clock.advanceInTurns(100);
    await done;
    expect(seen).toEqual([10, 20, 30]);
  });

  it('does not call back what was cancelled, also from a callback of the same instant', () => {
    const clock = new FakeClock();
    const seen: string[] = [];
    clock.after(5, () => {
      seen.push('first');
      cancelSecond();
    });
    const cancelSecond = clock.after(5, () => seen.push('second'));
    clock.advance(5);
    expect(seen).toEqual(['first']);
  });

  it('steps the wall clock without touching deadlines', () => {
    const clock = new FakeClock({ wall: 0 });
    let called = 0;
    clock.after(100, () => (called += 1));
    clock.stepWall(-50);
    expect([clock.wall(), clock.monotonic(), called]).toEqual([-50, 0, 0]);
    clock.advance(100);
    expect(called).toBe(1);
  });

  it('refuses to go back', () => {
    expect(() => new FakeClock().advance(-1)).toThrow(RangeError);
  });
});
