import { describe, expect, it } from '@jest/globals';
import { StoreUnavailable } from '../core/errors.js';
import { activationOf, headOf } from '../testing/worker/sample-runs.js';
import { workerParts } from '../testing/worker/worker-parts.js';

const entries = (count: number) => Array.from({ length: count }, (_, at) => activationOf(`r${at}`));

describe('Claimer', () => {
  it('claims a batch in one call and adopts what is claimed', async () => {
    const { claimer, store, held, room } = workerParts();
    store.answerClaims = (requests) =>
      Promise.resolve([{ kind: 'claimed', head: headOf(requests[0]?.runId ?? ''), now: 1 }, { kind: 'busy' }, { kind: 'dropped' }]);
    await claimer.claim(entries(3));
    expect(store.claims).toHaveLength(1);
    expect(store.claims[0]?.[0]).toMatchObject({ runId: 'r0', owner: 'w~1', leaseMs: 6000, activationBudget: 5, setAsideError: 'e' });
    expect(held.runIds).toEqual(['r0']);
    expect(room.free).toBe(9);
  });

  it('gives each entry bits of its own', async () => {
    const { claimer, store } = workerParts();
    await claimer.claim(entries(3));
    expect(new Set(store.claims[0]?.map(({ tokenBits }) => tokenBits)).size).toBe(3);
  });

  it('never claims more than fifty in one call', async () => {
    const { claimer, store } = workerParts({ claims: 200, concurrency: 200 });
    await claimer.claim(entries(120));
    expect(store.claims.map((batch) => batch.length)).toEqual([50, 50, 20]);
  });

  it('keeps room for what is being claimed', async () => {
    const { claimer, store, room } = workerParts();
    let answer = (): void => undefined;
    store.answerClaims = () => new Promise((resolve) => (answer = () => resolve([{ kind: 'busy' }])));
    const claiming = claimer.claim(entries(1));
    expect(room.free).toBe(9);
    answer();
    await claiming;
    expect(room.free).toBe(10);
  });

  it('keeps room for what waits behind the first fifty', async () => {
    const { claimer, store, room, held } = workerParts({ claims: 100, concurrency: 100 });
    const answerNow = store.answerClaims;
    let answer = (): void => undefined;
    store.answerClaims = async (requests) => {
      await new Promise<void>((resolve) => (answer = resolve));
      return answerNow(requests);
    };
    const claiming = claimer.claim(entries(90));
    expect(room.free).toBe(10);
    store.answerClaims = answerNow;
    answer();
    await claiming;
    expect([held.size, room.free]).toEqual([90, 10]);
  });

  it('repeats an unanswered call with the same bits, and counts the lease from the first try', async () => {
    const { claimer, store, clock, executions, log } = workerParts();
    const answerNow = store.answerClaims;
    let tries = 0;
    store.answerClaims = (requests) => (++tries < 4 ? Promise.reject(new StoreUnavailable('claim')) : answerNow(requests));
    const claiming = claimer.claim(entries(1));
    await clock.advanceInTurns(3000);
    await claiming;
    expect(new Set(store.claims.map((batch) => batch[0]?.tokenBits)).size).toBe(1);
    const guard = executions[0]?.claimed.guard;
    clock.advance(4999 - clock.monotonic());
    expect(guard?.isAlive()).toBe(true);
    clock.advance(1);
    expect(guard?.isAlive()).toBe(false);
    expect(log.events.map(({ type }) => type)).toEqual(['loop.failed', 'loop.recovered', 'run.claimed']);
  });

  it('gives up when the claims could be of no use any more, and frees the room', async () => {
    const { claimer, store, clock, room } = workerParts();
    store.answerClaims = () => Promise.reject(new StoreUnavailable('claim'));
    const claiming = claimer.claim(entries(2)).then(
      () => null,
      (error: unknown) => error,
    );
    await clock.advanceInTurns(6000);
    expect(await claiming).toBeInstanceOf(StoreUnavailable);
    expect([room.free, clock.pendingCount]).toEqual([10, 0]);
  });

  it('does not repeat after close', async () => {
    const { claimer, store, clock } = workerParts();
    store.answerClaims = () => Promise.reject(new StoreUnavailable('claim'));
    claimer.close();
    await expect(claimer.claim(entries(1))).rejects.toThrow(StoreUnavailable);
    expect([store.claims.length, clock.pendingCount]).toEqual([1, 0]);
  });

  it('hands back entries that will not be started here', async () => {
    const { claimer, store, held } = workerParts();
    await claimer.handBack(entries(2));
    expect(held.size).toBe(0);
    expect(store.commits).toMatchObject([
      { runId: 'r0', revision: 0, writes: [], opens: false, then: { kind: 'release' } },
      { runId: 'r1', then: { kind: 'release' } },
    ]);
    expect(store.commits[0]?.token).toBe(`1.${store.claims[0]?.[0]?.tokenBits}`);
  });
});
