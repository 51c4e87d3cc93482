import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '../testing/fake-clock.js';
import { ServerTime } from './server-time.js';

describe('ServerTime', () => {
  it('is the wall clock before the first answer', () => {
    const clock = new FakeClock();
    expect(new ServerTime(clock).now()).toBe(clock.wall());
  });

  it('goes on with the monotonic clock, whatever the wall clock does', () => {
    const clock = new FakeClock();
    const time = new ServerTime(clock);
    time.observe(5000, clock.monotonic());
    clock.stepWall(-3_600_000);
    clock.advance(250);
    expect(time.now()).toBe(5250);
  });

  it('takes the best of the last answers: a slow one does not set it back', () => {
    const clock = new FakeClock();
    const time = new ServerTime(clock);
    time.observe(5000, clock.monotonic());
    clock.advance(1000);
    time.observe(5400, clock.monotonic());
    expect(time.now()).toBe(6000);
  });

  it('follows a server whose clock was set back after eight answers', () => {
    const clock = new FakeClock();
    const time = new ServerTime(clock);
    time.observe(900_000, clock.monotonic());
    for (let answers = 0; answers < 8; answers++) time.observe(5000, clock.monotonic());
    expect(time.now()).toBe(5000);
  });
});
