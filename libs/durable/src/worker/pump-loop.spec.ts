import { describe, expect, it } from '@jest/globals';
import { StoreUnavailable } from '../core/errors.js';
import type { DeliveredActivation, PumpAnswer } from '../ports/run-store.js';
import { eventLog } from '../testing/event-log.js';
import { FakeClock } from '../testing/fake-clock.js';
import { fixedRandomness } from '../testing/fixed-randomness.js';
import { PumpLoop } from './pump-loop.js';
import { ServerTime } from './server-time.js';
import { FakeLaneReader } from '../testing/worker/fake-lane-reader.js';
import { activationOf, sampleLane } from '../testing/worker/sample-runs.js';
import type { RecordRepair } from './worker-storage.js';

function pumpWith(sweepRecords?: () => Promise<readonly RecordRepair[]>) {
  const clock = new FakeClock();
  const log = eventLog();
  const pumpedAt: number[] = [];
  const claimed: string[] = [];
  const readers: FakeLaneReader[] = [];
  const room = { free: 10 };
  const state: { answer: () => Partial<PumpAnswer> } = { answer: () => ({}) };
  const pump = new PumpLoop({
    store: {
      async pump() {
        pumpedAt.push(clock.monotonic());
        return { now: clock.wall(), activations: [], buried: 0, fired: 0, setAside: [], nextWakeAt: null, ...state.answer() };
      },
    },
    openReader() {
      const reader = new FakeLaneReader();
      readers.push(reader);
      return reader;
    },
    ...(sweepRecords === undefined ? {} : { sweepRecords }),
    claimer: {
      async claim(entries: readonly DeliveredActivation[]) {
        claimed.push(...entries.map(({ runId }) => runId));
      },
    },
    held: { serves: ({ workflow }) => workflow === sampleLane.workflow },
    room,
    serverTime: new ServerTime(clock),
    clock,
    random: fixedRandomness(),
    emit: log.emit,
    options: { pumpMs: 800, reclaimIdleMs: 5000, activationBudget: 5 },
    setAsideError: 'e',
  });
  return { clock, log, pumpedAt, claimed, readers, room, pump, state };
}

describe('PumpLoop', () => {
  it('pumps every 800 ms when nothing is due earlier', async () => {
    const { clock, pump, pumpedAt } = pumpWith();
    pump.start();
    await clock.advanceInTurns(4000);
    expect(pumpedAt.length).toBe(5);
    await pump.stop();
  });

  it('pumps at the next timer when that is sooner (B30)', async () => {
    const { clock, pump, pumpedAt, state } = pumpWith();
    const dueAt = clock.wall() + 1000;
    state.answer = () => ({ nextWakeAt: dueAt });
    pump.start();
    await clock.advanceInTurns(900);
    state.answer = () => ({ nextWakeAt: null });
    await clock.advanceInTurns(105);
    expect(pumpedAt.filter((at) => at >= 1000 && at <= 1005)).toHaveLength(1);
    await pump.stop();
  });

  it('goes on at once after a full batch, and never spins', async () => {
    const { clock, pump, pumpedAt, state } = pumpWith();
    state.answer = () => ({ buried: 100 });
    pump.start();
    await clock.advanceInTurns(850);
    expect(pumpedAt.length).toBeGreaterThan(5);
    expect(pumpedAt.length).toBeLessThanOrEqual(171);
    await pump.stop();
  });

  it('claims at once what it serves and has room for, and leaves the rest in its lane', async () => {
    const { pump, claimed, room, state, log } = pumpWith();
    room.free = 2;
    const alien = activationOf('alien', { queue: 'q', workflow: 'other', version: 1 });
    state.answer = () => ({ buried: 4, setAside: ['x'], activations: [alien, ...['a', 'b', 'c'].map((id) => activationOf(id))] });
    await pump.tick();
    expect(claimed).toEqual(['a', 'b']);
    expect(log.events).toEqual([{ type: 'claims.buried', count: 4, setAside: ['x'] }]);
  });

  it('takes over forgotten entries about every five seconds, unless it is full', async () => {
    const { clock, pump, claimed, readers, room } = pumpWith();
    pump.start();
    readers[0]?.forgotten.push(activationOf('f1'));
    await clock.advanceInTurns(6500);
    expect(claimed).toEqual(['f1']);
    expect(readers[0]?.calls[0]).toBe('reclaim 5000 10');
    const calls = readers[0]?.calls.length;
    room.free = 0;
    await clock.advanceInTurns(20_000);
    expect(readers[0]?.calls.length).toBe(calls);
    await pump.stop();
    expect(readers[0]?.isClosed).toBe(true);
  });

  it('claims no more of what was forgotten than there is room for when it comes', async () => {
    const { clock, pump, readers, room, claimed } = pumpWith();
    pump.start();
    const [reader] = readers;
    reader?.forgotten.push(activationOf('a'), activationOf('b'), activationOf('c'));
    Object.assign(reader ?? {}, {
      reclaim: async () => {
        room.free = 1;
        return reader?.forgotten.splice(0) ?? [];
      },
    });
    await clock.advanceInTurns(6000);
    expect(claimed).toEqual(['a']);
    await pump.stop();
  });

  it('tells what a sweep repaired', async () => {
    const repair = { runId: 'r', fault: 'no activation', repair: 'queued again' };
    const { clock, pump, log } = pumpWith(() => Promise.resolve([repair]));
    pump.start();
    await clock.advanceInTurns(12_500);
    expect(log.events).toContainEqual({ type: 'record.repaired', ...repair });
    await pump.stop();
  });

  it('goes on after an outage', async () => {
    const { clock, pump, pumpedAt, state, log } = pumpWith();
    state.answer = () => {
      throw new StoreUnavailable('pump');
    };
    pump.start();
    await clock.advanceInTurns(10_000);
    expect(pump.isFailing).toBe(true);
    state.answer = () => ({});
    await clock.advanceInTurns(4000);
    expect(pump.isFailing).toBe(false);
    expect(pumpedAt.length).toBeLessThan(20);
    expect(log.events.map(({ type }) => type)).toEqual(['loop.failed', 'loop.recovered']);
    await pump.stop();
  });

  it('starts and stops a hundred times', async () => {
    const { clock, pump, readers } = pumpWith(() => Promise.resolve([]));
    for (let round = 0; round < 100; round++) {
      pump.start();
      pump.start();
      await Promise.all([pump.stop(), pump.stop()]);
      expect(clock.pendingCount).toBe(0);
    }
    expect(readers).toHaveLength(100);
    expect(readers.every(({ isClosed }) => isClosed)).toBe(true);
  });
});
