import { describe, expect, it } from '@jest/globals';
import { StoreUnavailable } from '../core/errors.js';
import type { RunExit } from '../engine/engine-deps.js';
import type { LaneReader } from '../ports/run-store.js';
import { Intake } from './intake.js';
import { FakeLaneReader } from '../testing/worker/fake-lane-reader.js';
import { activationOf } from '../testing/worker/sample-runs.js';
import { workerParts, type WorkerPartsOptions } from '../testing/worker/worker-parts.js';

const parked: RunExit = { kind: 'parked' };

function intakeWith(options: WorkerPartsOptions = {}) {
  const parts = workerParts(options);
  const readers: FakeLaneReader[] = [];
  const openReader = (): LaneReader => {
    const reader = new FakeLaneReader();
    readers.push(reader);
    return reader;
  };
  const { claimer, room, clock, random, log } = parts;
  const intake = new Intake({ openReader, claimer, room, clock, random, emit: log.emit, blockMs: 5000 });
  intake.start();
  return { ...parts, intake, readers, reader: readers[0] as FakeLaneReader };
}

const push = (reader: FakeLaneReader, from: number, to: number): void => {
  for (let at = from; at < to; at++) reader.push(activationOf(`r${at}`));
};

describe('Intake', () => {
  it('waits when the lanes are empty, without asking again and again', async () => {
    const { intake, reader, log, held } = intakeWith();
    push(reader, 0, 1);
    await log.waitFor('run.claimed', 'r0');
    expect(held.runIds).toEqual(['r0']);
    await intake.stop();
    expect(reader.calls.slice(0, 2)).toEqual(['read 10', 'wait 5000']);
    expect(reader.isClosed).toBe(true);
  });

  it('waits again, without a look at every lane, when the wait had space for more than came', async () => {
    const { intake, reader, log } = intakeWith();
    Object.assign(reader, { isDrained: true });
    push(reader, 0, 1);
    await log.waitFor('run.claimed', 'r0');
    push(reader, 1, 2);
    await log.waitFor('run.claimed', 'r1');
    Object.assign(reader, { isDrained: false });
    push(reader, 2, 3);
    await log.waitFor('run.claimed', 'r2');
    push(reader, 3, 4);
    await log.waitFor('run.claimed', 'r3');
    await intake.stop();
    const wait = 'wait 5000';
    expect(reader.calls.slice(0, 5)).toEqual(['read 10', wait, wait, wait, 'read 7']);
  });

  it('takes no more than it can start, and takes more as soon as a run is dropped', async () => {
    const { intake, reader, log, executions, held } = intakeWith({ concurrency: 2 });
    push(reader, 0, 5);
    await log.waitFor('run.claimed', 'r1');
    expect(held.runIds).toEqual(['r0', 'r1']);
    executions[0]?.end(parked);
    await log.waitFor('run.claimed', 'r2');
    expect(held.runIds).toEqual(['r1', 'r2']);
    expect(reader.entries.map(({ runId }) => runId)).toEqual(['r3', 'r4']);
    await intake.stop();
  });

  it('reads nothing while it is full', async () => {
    const { intake, reader, log, clock } = intakeWith({ concurrency: 1 });
    push(reader, 0, 3);
    await log.waitFor('run.claimed', 'r0');
    const calls = reader.calls.length;
    await clock.advanceInTurns(60_000);
    expect(reader.calls).toHaveLength(calls);
    await intake.stop();
  });

  it('does not count a run that only waits as demand', async () => {
    const { intake, reader, log, clock, executions } = intakeWith({ concurrency: 1 });
    push(reader, 0, 2);
    await log.waitFor('run.claimed', 'r0');
    Object.assign(executions[0] ?? {}, { isIdle: true });
    await clock.advanceInTurns(200);
    expect(await log.waitFor('run.claimed', 'r1')).toMatchObject({ runId: 'r1' });
    await intake.stop();
  });

  it('keeps what was delivered beyond its room, and claims that first', async () => {
    const { intake, reader, log, store, room, executions } = intakeWith({ concurrency: 2 });
    const giveBack = room.reserve(1);
    push(reader, 0, 1);
    await log.waitFor('run.claimed', 'r0');
    // Two entries come while there is room for one, as from a wait over several streams.
    reader.read = () => Promise.resolve([activationOf('r1'), activationOf('r2')]);
    giveBack();
    await log.waitFor('run.claimed', 'r1');
    executions[1]?.end(parked);
    await log.waitFor('run.claimed', 'r2');
    expect(store.claims.map((batch) => batch.map(({ runId }) => runId))).toEqual([['r0'], ['r1'], ['r2']]);
    reader.read = () => Promise.resolve([]);
    await intake.stop();
  });

  it('hands back in stop() what it kept', async () => {
    const { intake, reader, log, store, room } = intakeWith({ concurrency: 2 });
    const giveBack = room.reserve(1);
    push(reader, 0, 1);
    await log.waitFor('run.claimed', 'r0');
    reader.read = () => Promise.resolve([activationOf('r1'), activationOf('r2')]);
    giveBack();
    await log.waitFor('run.claimed', 'r1');
    await intake.stop();
    expect(store.commits).toMatchObject([{ runId: 'r2', then: { kind: 'release' } }]);
  });

  it('backs off when reads fail, says so once, and goes on (B62)', async () => {
    const { intake, reader, log, clock } = intakeWith();
    const before = reader.calls.length;
    reader.failures.push(...Array.from({ length: 4 }, () => new StoreUnavailable('read')));
    push(reader, 0, 1);
    await log.waitFor('loop.failed');
    await clock.advanceInTurns(10_000);
    await log.waitFor('run.claimed', 'r0');
    expect(reader.calls.length - before).toBeLessThan(10);
    expect(log.events.map(({ type }) => type).filter((type) => type !== 'run.claimed')).toEqual(['loop.failed', 'loop.recovered']);
    await intake.stop();
  });

  it('starts and stops a hundred times, each with a reader of its own', async () => {
    const { intake, readers, clock } = intakeWith();
    for (let round = 0; round < 100; round++) {
      intake.start();
      await Promise.all([intake.stop(), intake.stop()]);
      intake.start();
    }
    await intake.stop();
    expect(readers).toHaveLength(101);
    expect(readers.every(({ isClosed }) => isClosed)).toBe(true);
    expect(clock.pendingCount).toBe(0);
  });

  it('shows progress with each answered read, and none while reads are not answered', async () => {
    const { intake, reader, clock, log } = intakeWith();
    await clock.advanceInTurns(12_000);
    expect(intake.lastProgressAt).toBe(0);
    push(reader, 0, 1);
    await log.waitFor('run.claimed', 'r0');
    expect(intake.lastProgressAt).toBe(12_000);
    await intake.stop();
  });
});
