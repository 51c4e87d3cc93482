import { describe, expect, it } from '@jest/globals';
import { FakeExecution } from '../testing/worker/fake-execution.js';
import { headOf } from '../testing/worker/sample-runs.js';
import { workerParts } from '../testing/worker/worker-parts.js';

function heldWith(runId = 'r') {
  const parts = workerParts();
  parts.held.adopt(headOf(runId), parts.clock.monotonic());
  return { ...parts, execution: parts.executions[0] as FakeExecution };
}

describe('HeldRuns', () => {
  it('drives an adopted run, keeps its claim alive, and drops it when its execution ends', async () => {
    const { held, execution, heartbeats, store, log } = heldWith();
    expect([held.size, held.busy, execution.calls]).toEqual([1, 1, ['drive']]);
    expect(execution.claimed.guard.isAlive()).toBe(true);
    const empty = held.whenEmpty();
    execution.end({ kind: 'parked' });
    await empty;
    await heartbeats.tick();
    expect([held.size, store.beats.at(-1), execution.claimed.guard.isAlive()]).toEqual([0, [], false]);
    expect(log.events).toEqual([{ type: 'run.claimed', runId: 'r', workflow: 'sample', epoch: 1 }]);
  });

  it('does not count runs that only wait as busy', () => {
    const { held, execution } = heldWith();
    execution.isIdle = true;
    expect([held.size, held.busy]).toEqual([1, 0]);
  });

  it('rings the execution, by bell or by heartbeat', async () => {
    const { held, heartbeats, store, execution } = heldWith();
    held.bell('r');
    held.bell('somebody else');
    store.answerBeats = () => Promise.resolve({ now: 1, lost: [], moved: ['r'] });
    await heartbeats.tick();
    expect(execution.calls).toEqual(['drive', 'bell', 'bell']);
  });

  it('fences a run that a heartbeat found lost, and says why', async () => {
    const { held, heartbeats, store, execution, log } = heldWith();
    store.answerBeats = () => Promise.resolve({ now: 1, lost: ['r'], moved: [] });
    await heartbeats.tick();
    expect(execution.calls[1]).toMatch(/^fence: the claim of run r is lost/);
    await log.waitFor('claim.lost', 'r');
    expect(held.size).toBe(0);
  });

  it('fences a run whose deadline passed without an answered heartbeat', async () => {
    const { held, clock, execution, log } = heldWith();
    clock.advance(4999);
    held.check();
    expect(execution.calls).toEqual(['drive']);
    clock.advance(1);
    expect(execution.claimed.guard.isAlive()).toBe(false);
    held.check();
    expect(await log.waitFor('claim.lost')).toMatchObject({ runId: 'r', reason: 'no heartbeat was answered in time' });
  });

  it('tells the heartbeats the token and the inbox that the execution has now', async () => {
    const { held, heartbeats, store, execution } = heldWith();
    execution.token = '1.renewed';
    held.tokenChanged('r');
    await heartbeats.tick();
    execution.inbox = '1.x';
    held.check();
    await heartbeats.tick();
    expect(store.beats).toEqual([[{ runId: 'r', token: '1.renewed', inbox: '0.r' }], [{ runId: 'r', token: '1.renewed', inbox: '1.x' }]]);
  });

  it('takes an older claim for lost when the run is claimed anew', async () => {
    const { held, clock, executions, execution, heartbeats, store, log } = heldWith();
    held.adopt(headOf('r', { token: '2.next' }), clock.monotonic());
    expect(await log.waitFor('claim.lost', 'r')).toMatchObject({ reason: 'the run was claimed anew' });
    expect(execution.claimed.guard.isAlive()).toBe(false);
    held.bell('r');
    await heartbeats.tick();
    expect(executions[1]?.calls).toEqual(['drive', 'bell']);
    expect(executions[1]?.claimed.guard.isAlive()).toBe(true);
    expect(store.beats).toEqual([[{ runId: 'r', token: '2.next', inbox: '0.r' }]]);
  });

  it('stops and interrupts what is adopted late', () => {
    const { held, clock, executions, execution } = heldWith();
    held.stop();
    held.adopt(headOf('late'), clock.monotonic());
    held.interrupt();
    held.adopt(headOf('later'), clock.monotonic());
    expect(execution.calls).toEqual(['drive', 'stop', 'interrupt']);
    expect(executions.slice(1).map(({ calls }) => calls)).toEqual([
      ['drive', 'stop', 'interrupt'],
      ['drive', 'stop', 'interrupt'],
    ]);
  });

  it('leaves a run that it cannot advance to lapse, and says so', async () => {
    const { held, clock, log, heartbeats, store } = heldWith();
    held.adopt(headOf('alien', { lane: { queue: 'q', workflow: 'other', version: 9 } }), clock.monotonic());
    expect(await log.waitFor('run.abandoned', 'alien')).toMatchObject({ workflow: 'other' });
    await heartbeats.tick();
    expect(store.beats.at(-1)?.map(({ runId }) => runId)).toEqual(['r']);
  });

  it('tells of an execution that failed', async () => {
    const { execution, log, held } = heldWith();
    const error = new Error('bug');
    execution.end({ kind: 'failed', error });
    expect(await log.waitFor('run.abandoned', 'r')).toMatchObject({ error });
    await held.whenEmpty();
  });
});
