import { describe, expect, it } from '@jest/globals';
import { StoreUnavailable } from '../core/errors.js';
import type { HeartbeatAnswer, HeldClaim } from '../ports/run-store.js';
import { eventLog } from '../testing/event-log.js';
import { FakeClock } from '../testing/fake-clock.js';
import { fixedRandomness } from '../testing/fixed-randomness.js';
import { InProcessHeartbeats } from './in-process-heartbeats.js';

const leaseMs = 6000;
const heartbeatMs = 2000;

function setUp() {
  const clock = new FakeClock();
  const log = eventLog();
  const beats: HeldClaim[][] = [];
  const told: string[] = [];
  let answer: (claims: readonly HeldClaim[]) => Promise<Partial<HeartbeatAnswer>> = () => Promise.resolve({});
  const heartbeats = new InProcessHeartbeats({
    leaseMs,
    heartbeatMs,
    maxBlockMs: 60_000,
    capacity: 10,
    clock,
    random: fixedRandomness(),
    emit: log.emit,
    onServerTime: (now) => told.push(`now ${now}`),
    store: {
      async heartbeat({ claims }) {
        beats.push([...claims]);
        return { now: 1, lost: [], moved: [], ...(await answer(claims)) };
      },
    },
  });
  const add = (runId: string, token = 't') =>
    heartbeats.add(
      { runId, token, inbox: '0', sentAt: clock.monotonic() },
      { onLost: () => told.push(`lost ${runId}`), onMoved: () => told.push(`moved ${runId}`) },
    );
  return { clock, log, beats, told, heartbeats, add, answerWith: (next: typeof answer) => (answer = next) };
}

describe('InProcessHeartbeats', () => {
  it('counts a claim from before its call was sent, and from each answered beat', async () => {
    const { clock, heartbeats, add, answerWith } = setUp();
    await heartbeats.start();
    const claim = add('r');
    await clock.advanceInTurns(leaseMs + 10_000);
    expect(claim.isAlive()).toBe(true);
    answerWith(() => Promise.reject(new StoreUnavailable('heartbeat')));
    // The last answered beat was sent at 16,000.
    await clock.advanceInTurns(4999);
    expect(claim.isAlive()).toBe(true);
    await clock.advanceInTurns(1);
    expect(claim.isAlive()).toBe(false);
    await heartbeats.stop();
  });

  it('does not cover a claim by a beat that was sent before it was added', async () => {
    const { clock, beats, heartbeats, add, answerWith } = setUp();
    let finish = (): void => undefined;
    answerWith(() => new Promise((resolve) => (finish = () => resolve({}))));
    const beat = heartbeats.tick();
    const claim = add('late');
    clock.advance(4000);
    finish();
    await beat;
    expect(beats).toEqual([[]]);
    clock.advance(1000);
    expect(claim.isAlive()).toBe(false);
  });

  it('tells a loss once, and the claim is dead without being told', async () => {
    const { heartbeats, add, told, answerWith } = setUp();
    const claim = add('r');
    answerWith(() => Promise.resolve({ lost: ['r'] }));
    await heartbeats.tick();
    await heartbeats.tick();
    expect(claim.isAlive()).toBe(false);
    expect(told.filter((line) => line !== 'now 1')).toEqual(['lost r']);
  });

  it('ignores what an answer says about a token or inbox that is no more', async () => {
    const { heartbeats, add, told, answerWith } = setUp();
    const [renewed, looked] = [add('renewed'), add('looked')];
    answerWith(() => {
      renewed.update({ token: 't2', inbox: '0' });
      looked.update({ token: 't', inbox: '1' });
      return Promise.resolve({ lost: ['renewed'], moved: ['looked'] });
    });
    await heartbeats.tick();
    expect(renewed.isAlive()).toBe(true);
    answerWith(() => Promise.resolve({ moved: ['looked'] }));
    await heartbeats.tick();
    expect(told.filter((line) => line !== 'now 1')).toEqual(['moved looked']);
  });

  it('does not beat for what was removed, and takes it for dead', async () => {
    const { heartbeats, add, beats } = setUp();
    const claim = add('r');
    claim.remove();
    claim.remove();
    await heartbeats.tick();
    expect(beats).toEqual([[]]);
    expect(claim.isAlive()).toBe(false);
  });

  it('keeps two claims of one run apart', async () => {
    const { heartbeats, add, beats } = setUp();
    const first = add('r', 't1');
    const second = add('r', 't2');
    first.remove();
    await heartbeats.tick();
    expect(beats[0]).toEqual([{ runId: 'r', token: 't2', inbox: '0' }]);
    expect([first.isAlive(), second.isAlive()]).toEqual([false, true]);
  });

  it('starts and stops a hundred times', async () => {
    const { clock, heartbeats, beats, add } = setUp();
    for (let round = 1; round <= 100; round++) {
      await heartbeats.start();
      const claim = add('r');
      await clock.advanceInTurns(heartbeatMs);
      expect(beats).toHaveLength(round);
      await heartbeats.stop();
      expect([clock.pendingCount, claim.isAlive()]).toEqual([0, false]);
    }
  });

  it('is healthy unless beats fail', async () => {
    const { heartbeats, answerWith, log } = setUp();
    answerWith(() => Promise.reject(new StoreUnavailable('heartbeat')));
    await heartbeats.tick();
    expect(heartbeats.isHealthy).toBe(false);
    expect(log.events).toMatchObject([{ type: 'loop.failed', loop: 'heartbeat' }]);
    answerWith(() => Promise.resolve({}));
    await heartbeats.tick();
    expect(heartbeats.isHealthy).toBe(true);
  });
});
