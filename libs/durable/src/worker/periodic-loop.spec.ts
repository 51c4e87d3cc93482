import { describe, expect, it } from '@jest/globals';
import { eventLog } from '../testing/event-log.js';
import { FakeClock } from '../testing/fake-clock.js';
import { fixedRandomness } from '../testing/fixed-randomness.js';
import { PeriodicLoop } from './periodic-loop.js';

function loopWith(turn: () => Promise<number>) {
  const clock = new FakeClock();
  const log = eventLog();
  const loop = new PeriodicLoop({ name: 'test', clock, random: fixedRandomness(), emit: log.emit, firstDelayMs: 10, turn });
  return { clock, log, loop };
}

describe('PeriodicLoop', () => {
  it('waits as long as each turn says', async () => {
    const turns: number[] = [];
    const { clock, loop } = loopWith(() => Promise.resolve(turns.push(clock.monotonic()) * 100));
    loop.start();
    await clock.advanceInTurns(500);
    expect(turns).toEqual([10, 110, 310]);
    await loop.stop();
  });

  it('starts once and stops for good, a hundred times', async () => {
    let turns = 0;
    const { clock, loop } = loopWith(() => Promise.resolve(100 + turns++));
    for (let round = 1; round <= 100; round++) {
      loop.start();
      loop.start();
      await clock.advanceInTurns(10);
      expect(turns).toBe(round);
      await Promise.all([loop.stop(), loop.stop()]);
      expect(clock.pendingCount).toBe(0);
    }
  });

  it('waits in stop() for the turn in flight, and begins no other', async () => {
    let finish = (): void => undefined;
    let turns = 0;
    const { clock, loop } = loopWith(() => {
      turns += 1;
      return new Promise((resolve) => {
        finish = () => resolve(1);
      });
    });
    loop.start();
    clock.advance(10);
    let isStopped = false;
    const stopping = loop.stop().then(() => {
      isStopped = true;
    });
    await clock.advanceInTurns(1000);
    expect([turns, isStopped]).toEqual([1, false]);
    finish();
    await stopping;
    await clock.advanceInTurns(1000);
    expect(turns).toBe(1);
  });

  it('never runs two turns at once: a tick joins the one in flight', async () => {
    let finish = (): void => undefined;
    let turns = 0;
    const { loop } = loopWith(() => {
      turns += 1;
      return new Promise((resolve) => {
        finish = () => resolve(1);
      });
    });
    const both = Promise.all([loop.tick(), loop.tick()]);
    finish();
    await both;
    expect(turns).toBe(1);
  });

  it('tells an outage once and its end once, and slows down meanwhile', async () => {
    const at: number[] = [];
    let isDown = true;
    const { clock, log, loop } = loopWith(() => {
      at.push(clock.monotonic());
      return isDown ? Promise.reject(new Error('down')) : Promise.resolve(10);
    });
    loop.start();
    await clock.advanceInTurns(20_000);
    const pauses = at.slice(1).map((time, index) => time - (at[index] ?? 0));
    expect(at.length).toBeLessThan(20);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(3001);
    expect(loop.isFailing).toBe(true);
    isDown = false;
    await clock.advanceInTurns(5000);
    expect(log.events.map(({ type }) => type)).toEqual(['loop.failed', 'loop.recovered']);
    await loop.stop();
  });

  it('survives a turn that throws at once', async () => {
    const { loop, log } = loopWith(() => {
      throw new Error('at once');
    });
    await loop.tick();
    await loop.tick();
    expect(log.events).toHaveLength(1);
  });
});
