import { afterEach, describe, expect, it } from '@jest/globals';
import {
  type CancelAnswer,
  createWorker,
  type RunContext,
  type StepContext,
  type Worker,
  workflow,
  type WorkerOptions,
} from '@millrace/durable';
import { eventLog, FakeClock, type Signals, signalled } from '@millrace/durable/testing';
import { createPayloadCodec, MemoryStorage } from '@millrace/storage';

/** The worker library over the memory store, with the clock in the test's hand. */
const codec = createPayloadCodec();
const options: WorkerOptions = { lease: '6s', heartbeat: '2s', linger: '2s', grace: '10s', name: 'w' };
const workers: Array<{ worker: Worker; clock: FakeClock }> = [];

afterEach(async () => {
  for (const { worker, clock } of workers.splice(0)) {
    const stopped = worker.stop({ atOnce: true });
    await clock.advanceInTurns(0);
    await stopped;
  }
});

type Act = (step: StepContext) => unknown;

async function setUp(act: Act = () => null) {
  const clock = new FakeClock();
  const storage = await MemoryStorage.open({ clock, partitions: 4 });
  const other = await storage.connect();
  const log = eventLog({ limitMs: 10_000 });
  const entered: Signals<StepContext> = signalled({ limitMs: 10_000 });
  const attempts: string[] = [];
  const one = workflow({ name: 'one', version: 1 }, (run: RunContext) =>
    run.step('s', (step) => {
      attempts.push(`${step.runId}#${step.attempt}`);
      entered.raise('entered', step);
      entered.raise(step.runId, step);
      return act(step);
    }),
  );
  const addWorker = (client: MemoryStorage, change: WorkerOptions = {}): Worker => {
    const worker = createWorker({ storage: client, codec, workflows: [one], options: { ...options, ...change }, emit: log.emit, clock });
    workers.push({ worker, clock });
    return worker;
  };
  const submit = (...runIds: string[]) =>
    other.runs.submit(
      runIds.map((runId) => ({
        runId,
        lane: { queue: 'default', workflow: 'one', version: 1 },
        input: 'null',
        digest: 'd',
        requestId: `b-${runId}`,
      })),
    );
  const cancel = (runId: string): Promise<CancelAnswer> => other.runs.cancel({ runId, requestId: `c-${runId}`, reason: 'test' });
  return { clock, storage, other, log, entered, attempts, addWorker, submit, cancel };
}

const ids = (count: number): string[] => Array.from({ length: count }, (_, at) => `r${at}`);

describe('a worker', () => {
  it('starts and stops a hundred times, and leaves nothing behind', async () => {
    const { storage, clock, addWorker, other } = await setUp();
    for (let round = 0; round < 100; round++) {
      const worker = addWorker(storage);
      await Promise.all([worker.start(), worker.start()]);
      expect(await Promise.all([worker.stop(), worker.stop()])).toEqual([true, true]);
      expect(clock.pendingCount).toBe(0);
    }
    expect((await other.registry.workers()).every(({ goodbye }) => goodbye)).toBe(true);
  });

  it('takes what was submitted while it started, each once (B12)', async () => {
    const { storage, log, attempts, addWorker, submit } = await setUp();
    await submit(...ids(50));
    const worker = addWorker(storage);
    const starting = worker.start();
    await submit(...ids(100).slice(50));
    await starting;
    await submit(...ids(150).slice(100));
    for (const runId of ids(150)) await log.waitFor('run.ended', runId);
    expect(attempts.sort()).toEqual(
      ids(150)
        .map((runId) => `${runId}#1`)
        .sort(),
    );
  });

  it('shares runs with another of the same name, and neither takes the other for dead (B08)', async () => {
    const { storage, log, attempts, addWorker, submit } = await setUp();
    const [first, second] = [addWorker(storage), addWorker(await storage.connect())];
    expect(first.incarnation).not.toBe(second.incarnation);
    await first.start();
    await submit(...ids(40));
    await second.start();
    for (const runId of ids(40)) await log.waitFor('run.ended', runId);
    expect(attempts.sort()).toEqual(
      ids(40)
        .map((runId) => `${runId}#1`)
        .sort(),
    );
  });

  it('starts none of the runs that are cancelled while they wait for a place (B52)', async () => {
    const { storage, log, entered, attempts, addWorker, submit, cancel } = await setUp(
      ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', resolve)),
    );
    const worker = addWorker(storage, { concurrency: 1 });
    await worker.start();
    await submit(...ids(10));
    const { runId: running } = await entered.waitFor('entered');
    const waiting = ids(10).filter((runId) => runId !== running);
    for (const runId of waiting) expect(['cancelled', 'cancelling']).toContain(await cancel(runId));
    await cancel(running);
    await log.waitFor('run.ended', running);
    expect(attempts).toEqual([`${running}#1`]);
    expect(worker.held().length).toBeLessThanOrEqual(1);
  });

  it('hears of a cancellation by bell, without waiting for a heartbeat', async () => {
    const { storage, log, entered, clock, addWorker, submit, cancel } = await setUp(
      ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', resolve)),
    );
    await addWorker(storage).start();
    await submit('r0');
    await entered.waitFor('r0');
    expect(await cancel('r0')).toBe('cancelling');
    expect(await log.waitFor('run.ended', 'r0')).toMatchObject({ status: 'cancelled' });
    expect(clock.monotonic()).toBe(0);
  });

  it('loses its claim when its store is away for longer than the lease, and another one goes on (B10)', async () => {
    const { storage, log, entered, clock, attempts, addWorker, submit } = await setUp(({ attempt, signal }) =>
      attempt === 1 ? new Promise((resolve) => signal.addEventListener('abort', resolve)) : 'second',
    );
    const cutOff = await storage.connect();
    const [first, second] = [addWorker(cutOff), addWorker(storage)];
    await first.start();
    await submit('r0');
    const step = await entered.waitFor('r0');
    await second.start();
    cutOff.faults.goDown();
    await clock.advanceInTurns(5_500);
    expect(step.signal.aborted).toBe(true);
    expect(first.held()).toEqual([]);
    await clock.advanceInTurns(3_000);
    await log.waitFor('run.ended', 'r0');
    expect(attempts).toEqual(['r0#1', 'r0#2']);
    expect(log.events).toContainEqual(expect.objectContaining({ type: 'claim.lost', runId: 'r0' }));
    expect(log.events.filter(({ type }) => type === 'claims.buried')).toHaveLength(1);
    storage.checkInvariants();
  });

  it('takes back at start what an earlier one of its exclusive name held', async () => {
    const { storage, log, entered, clock, addWorker, submit } = await setUp(({ attempt }) =>
      attempt === 1 ? new Promise(() => undefined) : 'again',
    );
    const dead = await storage.connect();
    const first = addWorker(dead);
    await first.start();
    await submit('r0');
    await entered.waitFor('r0');
    dead.faults.goDown();
    await addWorker(storage, { exclusiveName: true }).start();
    expect(await log.waitFor('claims.taken-back')).toMatchObject({ count: 1, from: first.incarnation });
    await clock.advanceInTurns(3_000);
    await log.waitFor('run.ended', 'r0');
  });

  it('hands its runs back when it stops, and another one goes on at once', async () => {
    const { storage, log, entered, clock, addWorker, submit, other } = await setUp(({ attempt, signal }) =>
      attempt === 1 && !signal.aborted ? new Promise((resolve) => signal.addEventListener('abort', () => resolve('late'))) : 'done',
    );
    const first = addWorker(storage);
    await first.start();
    await submit('r0');
    await entered.waitFor('r0');
    const stopping = first.stop();
    await clock.advanceInTurns(10_000);
    expect(await stopping).toBe(true);
    expect(await other.inspector.getLease('r0')).toBeNull();
    await addWorker(storage).start();
    const again = await entered.waitFor('r0');
    expect(again.attempt).toBe(1);
    await log.waitFor('run.released', 'r0');
  });

  it('is not ready before it started, when reads are not answered, and after it stopped', async () => {
    const { storage, clock, addWorker } = await setUp();
    const worker = addWorker(storage);
    expect(worker.health()).toEqual({ isReady: false, problems: ['the worker is new'] });
    await worker.start();
    expect(worker.isHealthy()).toBe(true);
    storage.faults.goDown();
    await clock.advanceInTurns(4_000);
    expect(worker.health().problems).toContain('the pump fails');
    storage.faults.comeBack();
    await clock.advanceInTurns(5_000);
    expect(worker.health()).toEqual({ isReady: true, problems: [] });
    await worker.stop();
    expect(worker.health().problems).toContain('the worker is stopped');
    await expect(worker.start()).rejects.toThrow('was stopped');
  });

  it('waits at start for a store that is away', async () => {
    const { storage, clock, log, addWorker } = await setUp();
    storage.faults.goDown();
    const worker = addWorker(storage);
    const starting = worker.start();
    await clock.advanceInTurns(30_000);
    expect(log.events.filter((event) => 'loop' in event && event.loop === 'start')).toEqual([
      expect.objectContaining({ type: 'loop.failed' }),
    ]);
    storage.faults.comeBack();
    await clock.advanceInTurns(3_000);
    await starting;
    expect(worker.isHealthy()).toBe(true);
  });
});
