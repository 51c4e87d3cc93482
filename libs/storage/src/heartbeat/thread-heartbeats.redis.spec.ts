import { afterEach, describe, expect, it } from '@jest/globals';
import { type AddedClaim, type BeatingClaim, type HeartbeatsParams, systemClock } from '@millrace/durable';
import { eventLog, signalled } from '@millrace/durable/testing';
import { RedisStorage } from '../redis/index.js';
import { testNamespace, tracked, waitUntil } from '../testing/index.js';
import { threadHeartbeats } from './redis-worker-storage.js';
import type { ThreadHeartbeats } from './thread-heartbeats.js';

const track = tracked(afterEach);
const url = process.env['MILLRACE_TEST_REDIS_URL'] ?? '';
const lane = { queue: 'default', workflow: 'sample', version: 1 };
const leaseMs = 1500;

async function setUp(change: Partial<HeartbeatsParams> = {}) {
  const namespace = testNamespace('heartbeat');
  const storage = await track(RedisStorage.open({ url, namespace }));
  const log = eventLog({ limitMs: 10_000 });
  const told = signalled({ limitMs: 10_000 });
  const heartbeats = (await track(
    Promise.resolve(
      threadHeartbeats({ url, namespace })({
        leaseMs,
        heartbeatMs: 300,
        maxBlockMs: 60_000,
        capacity: 4,
        clock: systemClock,
        emit: log.emit,
        onServerTime: () => told.raise('beaten'),
        ...change,
      }),
    ),
  )) as ThreadHeartbeats;
  const claim = async (runId: string): Promise<AddedClaim> => {
    const sentAt = systemClock.monotonic();
    await storage.runs.submit([{ runId, lane, input: 'null', digest: 'd', requestId: `bits-${runId}` }]);
    const { activation } = (await storage.inspector.getRun(runId)) ?? {};
    const base = { tokenBits: `t-${runId}`, owner: 'w~1', leaseMs, activationBudget: 5, setAsideError: 'e' };
    const [answer] = await storage.runs.claim([{ runId, lane, entryId: '', bits: '', ...activation, ...base }]);
    if (answer?.kind !== 'claimed') throw new Error(`run ${runId} was not claimed: ${answer?.kind}`);
    return { runId, token: answer.head.token, inbox: answer.head.inbox, sentAt };
  };
  const add = (held: AddedClaim): BeatingClaim =>
    heartbeats.add(held, { onLost: () => told.raise(`lost ${held.runId}`), onMoved: () => told.raise(`moved ${held.runId}`) });
  const release = (held: AddedClaim) =>
    storage.runs.commit([
      { runId: held.runId, token: held.token, revision: 0, writes: [], opens: false, then: { kind: 'release', bits: 'again' } },
    ]);
  return { storage, log, told, heartbeats, claim, add, release };
}

/** Keeps the event loop of this thread from doing anything. */
function blockFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

describe('ThreadHeartbeats', () => {
  it('keeps claims alive while the event loop is blocked for longer than the lease', async () => {
    const { storage, heartbeats, claim, add } = await setUp();
    await heartbeats.start();
    const held = await claim('r1');
    const beating = add(held);
    blockFor(leaseMs * 2);
    expect(beating.isAlive()).toBe(true);
    expect(await storage.inspector.getLease('r1')).toBeGreaterThan(await storage.runs.now());
  });

  it('keeps claims alive that were added together and one that took the place of a dropped one', async () => {
    const { heartbeats, claim, add } = await setUp();
    await heartbeats.start();
    const held = [await claim('r1'), await claim('r2'), await claim('r3')] as const;
    const dropped = add(held[0]);
    dropped.remove();
    const beating: BeatingClaim[] = [];
    heartbeats.together(() => {
      for (const one of held) beating.push(add(one));
    });
    blockFor(leaseMs * 2);
    expect([dropped, ...beating].map((one) => one.isAlive())).toEqual([false, true, true, true]);
  });

  it('tells of what was added before an addition failed', async () => {
    const { heartbeats, claim, add } = await setUp({ capacity: 1 });
    await heartbeats.start();
    const [first, second] = [await claim('r1'), await claim('r2')];
    const beating: BeatingClaim[] = [];
    const addBoth = () => heartbeats.together(() => [first, second].forEach((held) => beating.push(add(held))));
    expect(addBoth).toThrow('more than 1 claims have heartbeats');
    blockFor(leaseMs * 2);
    expect(beating.map((one) => one.isAlive())).toEqual([true]);
  });

  it('takes a claim for dead that no beat covers in time', async () => {
    const { heartbeats, claim, add } = await setUp({ heartbeatMs: 60_000 });
    await heartbeats.start();
    const beating = add(await claim('r1'));
    expect(beating.isAlive()).toBe(true);
    blockFor(leaseMs - 1000);
    expect(beating.isAlive()).toBe(false);
  });

  it('knows of a loss before the main loop hears of it, and tells it then', async () => {
    const { heartbeats, claim, add, release, told } = await setUp();
    await heartbeats.start();
    const [lost, kept] = [await claim('r1'), await claim('r2')];
    const [lostBeating, keptBeating] = [add(lost), add(kept)];
    await release(lost);
    blockFor(900);
    expect([lostBeating.isAlive(), keptBeating.isAlive()]).toEqual([false, true]);
    expect(told.count('lost r1')).toBe(0);
    await told.waitFor('lost r1');
    expect(told.count('lost r2')).toBe(0);
  });

  it('tells that an inbox moved until it was looked at', async () => {
    const { storage, heartbeats, claim, add, told } = await setUp();
    await heartbeats.start();
    const held = await claim('r1');
    const beating = add(held);
    await storage.runs.cancel({ runId: 'r1', requestId: 'c1', reason: 'test' });
    await told.waitFor('moved r1');
    const view = await storage.runs.look({ runId: 'r1', token: held.token });
    if (view === 'lost') throw new Error('the claim was lost');
    beating.update({ token: held.token, inbox: view.inbox });
    await told.waitFor('beaten');
    await told.waitFor('beaten');
    const before = told.count('moved r1');
    await told.waitFor('beaten');
    await told.waitFor('beaten');
    expect(told.count('moved r1')).toBe(before);
  });

  it('follows a renewed token', async () => {
    const { storage, heartbeats, claim, add, told } = await setUp();
    await heartbeats.start();
    const held = await claim('r1');
    const beating = add(held);
    const newToken = '1.renewed';
    await storage.runs.renew({ runId: 'r1', token: held.token, newToken, leaseMs });
    beating.update({ token: newToken, inbox: held.inbox });
    blockFor(leaseMs * 2);
    expect(beating.isAlive()).toBe(true);
    expect(told.count('lost r1')).toBe(0);
  });

  it('ceases when the main loop has stood still for too long', async () => {
    const { storage, heartbeats, claim, add, log } = await setUp({ maxBlockMs: 1000 });
    await heartbeats.start();
    const beating = add(await claim('r1'));
    blockFor(1000 + leaseMs + 1000);
    expect(beating.isAlive()).toBe(false);
    expect(await storage.inspector.getLease('r1')).toBeLessThan(await storage.runs.now());
    expect(await log.waitFor('heartbeat.stalled')).toMatchObject({ blockedMs: expect.any(Number) });
  });

  it('starts its thread again when it ends, and goes on for the claims it has', async () => {
    const { storage, heartbeats, claim, add, log, told } = await setUp({ leaseMs: 4000 });
    await heartbeats.start();
    const held = await claim('r1');
    const beating = add(held);
    await (Reflect.get(heartbeats, 'thread') as { terminate(): Promise<number> }).terminate();
    expect(await log.waitFor('loop.failed')).toMatchObject({ loop: 'heartbeat' });
    expect(beating.isAlive()).toBe(true);
    await log.waitFor('loop.recovered');
    await told.waitFor('beaten');
    const lease = (await storage.inspector.getLease('r1')) ?? 0;
    await waitUntil({ name: 'a beat of the new thread' }, async () => ((await storage.inspector.getLease('r1')) ?? 0) > lease);
    expect(beating.isAlive()).toBe(true);
  });

  it('gives a slot to the next claim, and none beyond its capacity', async () => {
    const { heartbeats, claim, add } = await setUp({ capacity: 1 });
    await heartbeats.start();
    const [first, second] = [await claim('r1'), await claim('r2')];
    const beating = add(first);
    expect(() => add(second)).toThrow(RangeError);
    beating.remove();
    beating.remove();
    expect(add(second).isAlive()).toBe(true);
    expect(beating.isAlive()).toBe(false);
  });

  it('starts and stops again and again', async () => {
    const { heartbeats } = await setUp();
    for (let round = 0; round < 20; round++) {
      await heartbeats.start();
      await Promise.all([heartbeats.stop(), heartbeats.stop()]);
    }
    expect(Reflect.get(heartbeats, 'thread')).toBeNull();
  }, 60_000);
});
