import { afterEach, describe, expect, it } from '@jest/globals';
import { tracked } from '@millrace/storage/testing';
import { FaultBench } from '../support/fault-bench.js';

const track = tracked(afterEach);

describe('SIGTERM', () => {
  it('with a step in flight past the grace: exit in time, the run continues elsewhere at once, the attempt is not spent', async () => {
    const bench = await FaultBench.open(track);
    const options = { grace: '500ms', lease: '60s', heartbeat: '5s', reclaimIdle: '5s' };
    const first = await bench.worker({ options });
    const runId = await bench.submit('patient', { file: bench.file('go') });
    await bench.noted({ event: 'enter', step: 'wait', pid: first.pid });
    const second = await bench.worker({ options });
    first.signal('SIGTERM');
    expect(await first.ended(10_000)).toEqual({ code: 0, signal: null });
    const again = await bench.noted({ event: 'enter', step: 'wait', pid: second.pid }, 3_000);
    expect(again.attempt).toBe(1);
    expect(await bench.ledger({ event: 'abort', pid: first.pid })).toHaveLength(1);
    await bench.make('go');
    await bench.ended(runId);
    expect(await bench.steps(runId)).toMatchObject([{ state: 'completed', used: 1, interruptions: 1 }]);
    await bench.audit();
  });

  it('with a step that ends within the grace: it is committed by the first worker, renewals go on meanwhile', async () => {
    const bench = await FaultBench.open(track);
    const options = { grace: '20s' };
    const first = await bench.worker({ options });
    const runId = await bench.submit('chain', { steps: 2, hold: { at: 0, file: bench.file('go') } });
    await bench.noted({ event: 'enter', step: 's0', pid: first.pid });
    const second = await bench.worker({ options });
    first.signal('SIGTERM');
    // Longer than a lease: the claim must not lapse while the worker waits for its step.
    await bench.outlast(runId, 4_000);
    expect(await bench.ledger({ pid: second.pid })).toEqual([]);
    await bench.make('go');
    expect(await first.ended()).toEqual({ code: 0, signal: null });
    expect((await bench.ended(runId)).status).toBe('completed');
    const entered = await bench.ledger({ event: 'enter' });
    expect(entered.map(({ step, attempt, pid }) => [step, attempt, pid])).toEqual([
      ['s0', 1, first.pid],
      ['s1', 1, second.pid],
    ]);
    await bench.audit();
  });

  it('five deploys in a row spend no attempt', async () => {
    const bench = await FaultBench.open(track);
    const options = { grace: '100ms', lease: '60s', heartbeat: '5s', reclaimIdle: '5s' };
    const runId = await bench.submit('patient', { file: bench.file('go') });
    for (let deploy = 0; deploy < 5; deploy++) {
      const worker = await bench.worker({ options });
      await bench.noted({ event: 'enter', step: 'wait', pid: worker.pid });
      worker.signal('SIGTERM');
      expect((await worker.ended()).code).toBe(0);
    }
    await bench.make('go');
    await bench.worker({ options });
    await bench.ended(runId);
    expect(await bench.steps(runId)).toMatchObject([{ state: 'completed', used: 1, interruptions: 5 }]);
    await bench.audit();
  });

  it('while Redis is away: the process ends within grace + 5 s all the same', async () => {
    const bench = await FaultBench.open(track);
    const worker = await bench.worker({ options: { grace: '500ms' } });
    await bench.submit('patient', { file: bench.file('go') });
    await bench.noted({ event: 'enter', step: 'wait' });
    await bench.redis.pause();
    worker.signal('SIGTERM');
    const { signal } = await worker.ended(9_000);
    expect(signal).toBeNull();
    bench.redis.resume();
  });

  it('SIGKILL in the middle of a hand-back loses nothing', async () => {
    const bench = await FaultBench.open(track);
    for (const at of ['before-release', 'after-release'] as const) {
      const runId = await bench.submit('patient', { file: bench.file(at) });
      const first = await bench.worker({ options: { grace: '100ms' }, kill: { at } });
      await bench.noted({ event: 'enter', run: runId, pid: first.pid });
      first.signal('SIGTERM');
      expect((await first.ended()).signal).toBe('SIGKILL');
      await bench.make(at);
      const second = await bench.worker();
      expect((await bench.ended(runId)).status).toBe('completed');
      await second.kill();
    }
    await bench.audit();
  });
});
