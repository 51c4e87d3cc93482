import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '../testing/fake-clock.js';
import { Room } from './room.js';

function roomOf(state: {
  claims?: number;
  limit?: number;
  running?: number;
  queued?: number;
  size?: number;
  busy?: number;
  bytes?: number;
}) {
  const { claims = 10, limit = 4, running = 0, queued = 0, size = 0, busy = 0, bytes = 0 } = state;
  const clock = new FakeClock();
  return { clock, room: new Room({ claims, claimBytes: 1000, slots: { limit, running, queued }, held: { size, busy, bytes }, clock }) };
}

describe('Room', () => {
  it.each([
    [{}, 4],
    [{ running: 1 }, 3],
    [{ running: 4, queued: 3 }, 0],
    [{ size: 3, busy: 3 }, 1],
    [{ size: 9, busy: 0 }, 1],
    [{ size: 10, busy: 0 }, 0],
    [{ size: 2, busy: 1, running: 3 }, 1],
    [{ size: 1, bytes: 999 }, 4],
    [{ size: 1, bytes: 1000 }, 0],
  ])('of %p is %p', (state, free) => {
    expect(roomOf(state).room.free).toBe(free);
  });

  it('keeps what is reserved, and takes it back once', () => {
    const { room } = roomOf({});
    const giveBack = room.reserve(3);
    expect(room.free).toBe(1);
    room.reserve(5);
    expect(room.free).toBe(0);
    giveBack();
    giveBack();
    expect(room.free).toBe(0);
  });

  it.each(['a change', 'an abort', 'a recount'] as const)('wakes who waits at %s, and leaves no timer behind', async (what) => {
    const { room, clock } = roomOf({ running: 4 });
    const stop = new AbortController();
    const waits = [room.wait(stop.signal), room.wait(stop.signal)];
    if (what === 'a change') room.changed();
    else if (what === 'an abort') stop.abort();
    else clock.advance(200);
    await Promise.all(waits);
    expect(clock.pendingCount).toBe(0);
  });

  it('does not wait for an aborted signal', async () => {
    const { room, clock } = roomOf({});
    await room.wait(AbortSignal.abort());
    expect(clock.pendingCount).toBe(0);
  });
});
