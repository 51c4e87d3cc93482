import { describe, expect, it } from '@jest/globals';
import { IdempotencyConflict, StoreUnavailable } from '../core/errors.js';
import type { RunHead } from '../core/run-record.js';
import type { WorkerRegistry } from '../ports/registry.js';
import type { SubmitAnswer, SubmitRequest } from '../ports/run-store.js';
import { FakeClock } from '../testing/fake-clock.js';
import { fixedRandomness } from '../testing/fixed-randomness.js';
import { RunClient } from './run-client.js';
import { RunWatcher } from './run-watcher.js';

/** A client on a store that is a map. */
function setUp() {
  const clock = new FakeClock();
  const heads = new Map<string, RunHead>();
  const submitted: SubmitRequest[][] = [];
  const reads: string[] = [];
  const state = { isDown: false, isRegistryDown: false };
  const submitOne = (request: SubmitRequest): SubmitAnswer => {
    const known = heads.get(request.runId);
    if (known !== undefined) return { outcome: 'existing', run: known };
    const head = { ...request, status: 'queued', revision: 0, createdAt: 0, cancel: null, journalEnd: 0 } as unknown as RunHead;
    heads.set(request.runId, head);
    return { outcome: 'created', run: head };
  };
  const inspector = {
    getRun: async (runId: string) => {
      reads.push(runId);
      return heads.get(runId) ?? null;
    },
    getProgress: async (runId: string) => heads.get(runId) ?? null,
    watch: async () => ({ close: async () => {} }),
  };
  const client = new RunClient({
    namespace: 'default',
    runs: {
      submit: async (requests) => {
        if (state.isDown) throw new StoreUnavailable('submit');
        submitted.push([...requests]);
        return requests.map(submitOne);
      },
      cancel: async ({ runId }) => (heads.has(runId) ? 'cancelled' : 'missing'),
    },
    inspector,
    registry: {
      workflows: async () =>
        state.isRegistryDown
          ? Promise.reject(new StoreUnavailable('workflows'))
          : [{ workflow: 'w', version: 1, queue: 'default', definitionHash: '', inputSchema: null }],
      workers: async () => [],
    } as unknown as WorkerRegistry,
    codec: { encode: (value) => JSON.stringify(value) },
    clock,
    random: fixedRandomness(),
    watcher: new RunWatcher({ inspector, clock, emit: () => {} }),
  });
  const end = (runId: string) => heads.set(runId, { ...heads.get(runId), status: 'completed' } as RunHead);
  return { client, clock, heads, submitted, reads, state, end };
}

describe('RunClient.submit', () => {
  it('submits a batch in one call and answers in its order, faults in their places', async () => {
    const { client, submitted } = setUp();
    const answers = await client.submitMany([
      { workflow: 'w', runId: 'a' },
      { workflow: '*' },
      { workflow: 'w', runId: 'a', input: 1 },
      { workflow: 'w', runId: 'a' },
    ]);
    expect(submitted.map((requests) => requests.length)).toEqual([3]);
    expect(answers[0]).toMatchObject({ outcome: 'created', input: 'null' });
    expect(answers[1]).toMatchObject({ code: 'invalid_input' });
    expect(answers[2]).toBeInstanceOf(IdempotencyConflict);
    expect(answers[3]).toMatchObject({ outcome: 'existing' });
  });

  it('calls no store when nothing is left to submit', async () => {
    const { client, submitted } = setUp();
    expect(await client.submitMany([])).toEqual([]);
    await client.submitMany([{ workflow: 'nowhere' }]);
    expect(submitted).toEqual([]);
  });

  it('throws what a single submission met, and whatever nobody knows the outcome of', async () => {
    const { client, state } = setUp();
    await expect(client.submit({ workflow: 'v' })).rejects.toMatchObject({ code: 'unknown_workflow' });
    state.isDown = true;
    await expect(client.submitMany([{ workflow: 'w' }, { workflow: 'v' }])).rejects.toBeInstanceOf(StoreUnavailable);
  });

  it('asks a store that is away once: the caller must not wait twice as long', async () => {
    const { client, state, reads } = setUp();
    state.isRegistryDown = true;
    await expect(client.submit({ workflow: 'w', runId: 'r' })).rejects.toBeInstanceOf(StoreUnavailable);
    expect(reads).toEqual([]);
  });

  it('gives every try a request id of its own, so that a repetition is told from its first', async () => {
    const { client, submitted } = setUp();
    for (let time = 0; time < 2; time += 1) await client.submit({ workflow: 'w', idempotencyKey: 'K' });
    const [one, two] = submitted.flat();
    expect(one?.runId).toBe(two?.runId);
    expect(one?.requestId).not.toBe(two?.requestId);
  });
});

describe('RunClient.wait', () => {
  it('answers when the run ends, and leaves no timer behind', async () => {
    const { client, clock, end } = setUp();
    await client.submit({ workflow: 'w', runId: 'r' });
    const waiting = client.wait('r', { timeoutMs: 60_000 });
    await clock.advanceInTurns(0);
    end('r');
    await clock.advanceInTurns(1_000);
    expect(await waiting).toMatchObject({ status: 'completed' });
    await clock.advanceInTurns(2_000);
    expect(clock.pendingCount).toBe(0);
  });

  it('answers the run as it is when the time is up or the signal is raised', async () => {
    const { client, clock } = setUp();
    await client.submit({ workflow: 'w', runId: 'r' });
    const late = client.wait('r', { timeoutMs: 5_000 });
    for (let second = 0; second < 5; second += 1) await clock.advanceInTurns(1_000);
    expect(await late).toMatchObject({ status: 'queued' });
    const controller = new AbortController();
    const aborted = client.wait('r', { timeoutMs: 5_000, signal: controller.signal });
    controller.abort();
    expect(await aborted).toMatchObject({ status: 'queued' });
    expect(await client.wait('r', { timeoutMs: 5_000, signal: controller.signal })).toMatchObject({ status: 'queued' });
  });

  it('says that the run is gone when it is deleted meanwhile (B128)', async () => {
    const { client, clock, heads } = setUp();
    await client.submit({ workflow: 'w', runId: 'r' });
    const waiting = client.wait('r', { timeoutMs: 60_000 });
    await clock.advanceInTurns(0);
    heads.delete('r');
    const advanced = clock.advanceInTurns(1_000);
    await expect(waiting).rejects.toMatchObject({ code: 'run_not_found' });
    await advanced;
  });

  it('refuses what is no run id, and a run that is not there', async () => {
    const { client } = setUp();
    await expect(client.get('../x')).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(client.wait('r', { timeoutMs: 1 })).rejects.toMatchObject({ code: 'run_not_found' });
    await expect(client.cancel('', 'why')).rejects.toMatchObject({ code: 'invalid_input' });
    expect(await client.cancel('r', 'why')).toBe('missing');
  });
});
