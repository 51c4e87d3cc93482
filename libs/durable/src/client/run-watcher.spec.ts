import { describe, expect, it } from '@jest/globals';
import { StoreUnavailable } from '../core/errors.js';
import type { RunStatus } from '../core/run-status.js';
import type { RunEvent } from '../ports/inspector.js';
import { eventLog } from '../testing/event-log.js';
import { FakeClock } from '../testing/fake-clock.js';
import { signalled } from '../testing/signalled.js';
import { RunWatcher } from './run-watcher.js';

function setUp() {
  const clock = new FakeClock();
  const log = eventLog();
  const told = signalled<RunStatus | null>();
  const status = new Map<string, RunStatus>();
  const feeds = new Set<(event: RunEvent) => void>();
  const state = { reads: 0, opened: 0, isDown: false, isFeedDown: false };
  const watcher = new RunWatcher({
    clock,
    emit: log.emit,
    inspector: {
      async watch(onEvent) {
        if (state.isDown || state.isFeedDown) throw new StoreUnavailable('watch');
        state.opened += 1;
        feeds.add(onEvent);
        return { close: async () => void feeds.delete(onEvent) };
      },
      async getProgress(runId) {
        state.reads += 1;
        if (state.isDown) throw new StoreUnavailable('getProgress');
        const now = status.get(runId);
        return now === undefined ? null : { status: now, revision: 0, cancel: null, journalEnd: 0, createdAt: 0 };
      },
    },
  });
  const listen = (name: string, runId: string) => watcher.subscribe(runId, (progress) => told.raise(name, progress?.status ?? null));
  const ring = (runId: string, to: RunStatus) => {
    status.set(runId, to);
    for (const feed of feeds) feed({ runId, status: to });
  };
  return { clock, log, told, status, feeds, state, watcher, listen, ring };
}

describe('RunWatcher', () => {
  it('tells every listener what it finds at first and at each change, over one feed', async () => {
    const { told, status, state, feeds, listen, ring } = setUp();
    status.set('r', 'queued').set('s', 'queued');
    for (const name of ['a', 'b']) listen(name, 'r');
    listen('c', 's');
    for (const name of ['a', 'b', 'c']) expect(await told.waitFor(name)).toBe('queued');
    ring('r', 'completed');
    for (const name of ['a', 'b']) expect(await untilStatus(told, name, 'completed')).toBe('completed');
    expect([state.opened, feeds.size]).toEqual([1, 1]);
  });

  it('finds a change that no event told within a second (B128)', async () => {
    const { clock, told, status, listen } = setUp();
    status.set('r', 'running');
    listen('a', 'r');
    await told.waitFor('a');
    status.set('r', 'completed');
    await clock.advanceInTurns(1_000);
    expect(await untilStatus(told, 'a', 'completed')).toBe('completed');
  });

  it('reads a run once a second, however many wait for it', async () => {
    const { clock, told, status, state, listen } = setUp();
    status.set('r', 'running');
    for (let index = 0; index < 100; index += 1) listen('a', 'r');
    await told.waitFor('a');
    await clock.advanceInTurns(0);
    const before = state.reads;
    for (let second = 0; second < 10; second += 1) await clock.advanceInTurns(1_000);
    expect(state.reads - before).toBe(10);
  });

  it('tells null when the run is deleted', async () => {
    const { clock, told, status, listen } = setUp();
    status.set('r', 'running');
    listen('a', 'r');
    expect(await told.waitFor('a')).toBe('running');
    status.delete('r');
    await clock.advanceInTurns(1_000);
    expect(await told.waitFor('a')).toBeNull();
  });

  it('keeps nothing of those who left: no run, no timer, no feed (B125)', async () => {
    const { clock, told, status, feeds, watcher, listen } = setUp();
    status.set('r', 'running');
    const leave = ['a', 'b'].map((name) => listen(name, 'r'));
    await told.waitFor('b');
    for (const each of leave) {
      each();
      each();
    }
    expect(watcher.size).toBe(0);
    await clock.advanceInTurns(2_000);
    await clock.advanceInTurns(0);
    expect([feeds.size, clock.pendingCount]).toEqual([0, 0]);
    listen('c', 'r');
    expect(await told.waitFor('c')).toBe('running');
    await clock.advanceInTurns(0);
    expect(feeds.size).toBe(1);
  });

  it('keeps the feed for who comes back soon', async () => {
    const { clock, told, status, state, listen } = setUp();
    status.set('r', 'running');
    for (const name of ['a', 'b', 'c']) {
      const leave = listen(name, 'r');
      await told.waitFor(name);
      leave();
      await clock.advanceInTurns(1_000);
    }
    expect(state.opened).toBe(1);
  });

  it('goes on over an outage, says once that it began and once that it ended', async () => {
    const { clock, log, told, status, state, listen } = setUp();
    status.set('r', 'running');
    state.isDown = true;
    for (let index = 0; index < 5; index += 1) listen('a', 'r');
    for (let second = 0; second < 5; second += 1) await clock.advanceInTurns(1_000);
    expect(told.count('a')).toBe(0);
    state.isDown = false;
    await clock.advanceInTurns(1_000);
    expect(await told.waitFor('a')).toBe('running');
    await clock.advanceInTurns(0);
    const types = log.events.map((event) => `${event.type} ${'loop' in event ? event.loop : ''}`);
    expect(types.sort()).toEqual([
      'loop.failed run feed',
      'loop.failed run watcher',
      'loop.recovered run feed',
      'loop.recovered run watcher',
    ]);
    expect(state.opened).toBe(1);
  });

  it('works without a feed', async () => {
    const { clock, told, status, state, listen } = setUp();
    state.isFeedDown = true;
    status.set('r', 'running');
    listen('a', 'r');
    await told.waitFor('a');
    status.set('r', 'completed');
    await clock.advanceInTurns(1_000);
    expect(await untilStatus(told, 'a', 'completed')).toBe('completed');
  });

  it('ends everything on close', async () => {
    const { clock, told, status, feeds, watcher, listen } = setUp();
    status.set('r', 'running');
    listen('a', 'r');
    await told.waitFor('a');
    await watcher.close();
    expect([feeds.size, watcher.size, clock.pendingCount]).toEqual([0, 0, 0]);
  });
});

async function untilStatus(
  told: ReturnType<typeof signalled<RunStatus | null>>,
  name: string,
  wanted: RunStatus,
): Promise<RunStatus | null> {
  for (;;) {
    const status = await told.waitFor(name);
    if (status === wanted) return status;
  }
}
