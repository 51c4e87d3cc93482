import { describe, expect, it } from '@jest/globals';
import { decodeEntry, type RunContext } from '@millrace/durable';
import { EngineHarness, gate, settle, workflowOf } from './engine-harness.js';

describe('sleep and parking', () => {
  it('waits for a short sleep under the claim', async () => {
    const engine = await EngineHarness.open();
    const driven = engine.run(async (run) => (await run.sleep('nap', '1s'), 'woke'));
    await settle();
    await engine.clock.advanceInTurns(1000);
    expect(await driven).toEqual({ kind: 'ended', status: 'completed' });
    expect(await engine.output()).toBe('woke');
  });

  it('parks for a long one, is woken when it is due and goes on', async () => {
    const engine = await EngineHarness.open();
    const entered: string[] = [];
    const flow = workflowOf(async (run: RunContext) => {
      await run.step('a', () => void entered.push('a'));
      await run.sleep('long', '400d');
      return run.step('b', () => (entered.push('b'), run.now()));
    });
    await engine.submit('r1');
    expect(await engine.drive(flow)).toEqual({ kind: 'parked' });
    const { createdAt, wakeAt } = await engine.head();
    expect(wakeAt).toBe(createdAt + 400 * 86_400_000);
    engine.clock.advance(400 * 86_400_000);
    await engine.pump();
    expect(await engine.drive(flow)).toEqual({ kind: 'ended', status: 'completed' });
    expect(entered).toEqual(['a', 'b']);
  });

  it('parks during a long backoff and charges nothing for it', async () => {
    const engine = await EngineHarness.open();
    const attempts: number[] = [];
    const flow = workflowOf((run: RunContext) =>
      run.step(
        's',
        ({ attempt }) => {
          attempts.push(attempt);
          if (attempt === 1) throw new Error('no');
          return 'ok';
        },
        { backoff: { type: 'fixed', delay: '30s' } },
      ),
    );
    await engine.submit('r1');
    expect(await engine.drive(flow)).toEqual({ kind: 'parked' });
    engine.clock.advance(30_000);
    await engine.pump();
    expect(await engine.drive(flow)).toEqual({ kind: 'ended', status: 'completed' });
    expect(attempts).toEqual([1, 2]);
  });

  it('never parks while a function runs, and sleeps beside it are recorded though steps before them wait for a slot', async () => {
    const engine = await EngineHarness.open({ concurrency: 1 });
    const hold = gate<string>();
    const flow = workflowOf(async (run: RunContext) => {
      const steps = [run.step('a', () => hold.opened), run.step('b', () => 'b'), run.step('c', () => 'c')];
      const winner = await Promise.race([run.sleep('limit', '1h').then(() => 'timed out'), Promise.all(steps).then(() => 'done')]);
      return winner;
    });
    await engine.submit('r1');
    const execution = await engine.claim(flow);
    const driven = execution.drive();
    await settle();
    expect((await engine.head()).journalEnd).toBe(4);
    expect((await engine.head()).status).toBe('running');
    await engine.dieAndBury();
    const other = await EngineHarness.open({ on: engine });
    const again = other.drive(flow);
    await settle();
    hold.open('a');
    expect(await again).toEqual({ kind: 'ended', status: 'completed' });
    expect(await engine.output()).toBe('done');
    await driven;
  });
});

describe('cancel', () => {
  it('aborts running functions, starts nothing more and is written when they have ended', async () => {
    const engine = await EngineHarness.open();
    const hold = gate<string>();
    let seen: AbortSignal | undefined;
    let entered = 0;
    await engine.submit('r1');
    const execution = await engine.claim(
      workflowOf(async (run: RunContext) => {
        await run.step('a', ({ signal }) => ((seen = signal), hold.opened));
        return run.step('b', () => (entered += 1));
      }),
    );
    const driven = execution.drive();
    await settle();
    expect(await engine.storage.runs.cancel({ runId: 'r1', requestId: 'q', reason: 'not wanted' })).toBe('cancelling');
    execution.bell();
    await settle();
    expect(seen?.reason).toMatchObject({ code: 'run_cancelled' });
    expect((await engine.head()).status).toBe('running');
    hold.open('finished after all');
    expect(await driven).toEqual({ kind: 'ended', status: 'cancelled' });
    expect(entered).toBe(0);
    const page = await engine.storage.inspector.readJournal({ runId: 'r1', from: 0, journalEnd: 0 });
    expect(page.entries[0]?.[1]).toMatch(/^\+.*finished after all/);
  });

  it('is seen by the next opening though no bell rang', async () => {
    const engine = await EngineHarness.open();
    const hold = gate<number>();
    let entered = 0;
    await engine.submit('r1');
    const driven = (
      await engine.claim(
        workflowOf(async (run: RunContext) => (await run.step('a', () => hold.opened), run.step('b', () => (entered += 1)))),
      )
    ).drive();
    await settle();
    await engine.storage.runs.cancel({ runId: 'r1', requestId: 'q', reason: 'x' });
    hold.open(1);
    expect(await driven).toEqual({ kind: 'ended', status: 'cancelled' });
    expect(entered).toBe(0);
  });

  it('does not wait for ever for a function that ignores its signal', async () => {
    const engine = await EngineHarness.open();
    await engine.submit('r1');
    const execution = await engine.claim(workflowOf((run: RunContext) => run.step('a', () => new Promise(() => undefined))));
    const driven = execution.drive();
    await settle();
    await engine.storage.runs.cancel({ runId: 'r1', requestId: 'q', reason: 'x' });
    execution.bell();
    await settle();
    await engine.clock.advanceInTurns(25_000);
    expect(await driven).toEqual({ kind: 'ended', status: 'cancelled' });
  });
});

describe('what a cancel abandons', () => {
  it('ended with the run, not when it would have been due', async () => {
    const engine = await EngineHarness.open();
    await engine.submit('r1');
    const execution = await engine.claim(
      workflowOf(async (run: RunContext) => {
        void run.sleep('far', '2d');
        await run.step('s', () => new Promise(() => undefined));
      }),
    );
    const driven = execution.drive();
    await settle();
    engine.clock.advance(10);
    await engine.storage.runs.cancel({ runId: 'r1', requestId: 'q', reason: 'x' });
    execution.bell();
    await settle();
    await engine.clock.advanceInTurns(25_000);
    expect(await driven).toEqual({ kind: 'ended', status: 'cancelled' });
    const { createdAt, endedAt } = await engine.head();
    const { entries } = await engine.storage.inspector.readJournal({ runId: 'r1', from: 0, journalEnd: 0 });
    const decoded = entries.map(([journalNumber, value]) => decodeEntry(value, journalNumber));
    expect(decoded.map((entry) => entry?.state)).toEqual(['abandoned', 'abandoned']);
    for (const entry of decoded) expect(createdAt + (entry?.endedAfter ?? 0)).toBe(endedAt);
  });
});

describe("the run's signal", () => {
  it('is aborted when the claim is lost, and not when the run ends, parks or is handed back', async () => {
    const signals: AbortSignal[] = [];
    for (const last of ['end', 'park', 'lose'] as const) {
      const engine = await EngineHarness.open();
      await engine.submit('r1');
      const execution = await engine.claim(
        workflowOf(async (run: RunContext) => {
          signals.push(run.signal);
          if (last === 'park') await run.sleep('long', '1d');
          if (last === 'lose') await run.step('s', () => new Promise(() => undefined));
        }),
      );
      const driven = execution.drive();
      await settle();
      if (last === 'lose') execution.fence();
      await driven;
    }
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false, true]);
  });
});

describe('graceful stop', () => {
  it('lets running functions end, commits them and hands the claim back', async () => {
    const engine = await EngineHarness.open();
    const hold = gate<string>();
    const entered: string[] = [];
    const flow = workflowOf(async (run: RunContext) => {
      await run.step('a', () => (entered.push('a'), hold.opened));
      return run.step('b', () => (entered.push('b'), 'end'));
    });
    await engine.submit('r1');
    const execution = await engine.claim(flow);
    const driven = execution.drive();
    await settle();
    execution.stop();
    await settle();
    hold.open('a');
    expect(await driven).toEqual({ kind: 'released' });
    expect(await (await EngineHarness.open({ on: engine })).drive(flow)).toEqual({ kind: 'ended', status: 'completed' });
    expect(entered).toEqual(['a', 'b']);
  });

  it('gives interrupted attempts back, at most `interruptions` times', async () => {
    const engine = await EngineHarness.open();
    const attempts: number[] = [];
    const flow = workflowOf((run: RunContext) =>
      run.step('long', ({ attempt }) => (attempts.push(attempt), new Promise(() => undefined)), { attempts: 2 }),
    );
    await engine.submit('r1');
    for (let stop = 0; stop < 22; stop++) {
      const worker = await EngineHarness.open({ on: engine });
      const execution = await worker.claim(flow);
      const driven = execution.drive();
      await settle();
      await worker.clock.advanceInTurns(0);
      await settle();
      execution.stop();
      execution.interrupt();
      expect((await driven).kind).toBe(stop < 21 ? 'released' : 'ended');
    }
    expect(attempts).toEqual([...Array.from({ length: 21 }, () => 1), 2]);
    expect((await engine.error()).cause).toMatchObject({ code: 'step_interrupted' });
  });

  it('never repeats an interrupted step that has one attempt: the operator decides', async () => {
    const engine = await EngineHarness.open();
    await engine.submit('r1');
    const execution = await engine.claim(
      workflowOf((run: RunContext) => run.step('once', () => new Promise(() => undefined), { attempts: 1 })),
    );
    const driven = execution.drive();
    await settle();
    execution.stop();
    execution.interrupt();
    expect(await driven).toEqual({ kind: 'ended', status: 'set-aside' });
    expect((await engine.error()).code).toBe('step_interrupted');
  });
});

describe('a reply lost after a commit was applied', () => {
  it('counts as one commit', async () => {
    const engine = await EngineHarness.open();
    const entered: string[] = [];
    await engine.submit('r1');
    const execution = await engine.claim(
      workflowOf(async (run: RunContext) => {
        await run.step('a', () => void entered.push('a'));
        return run.step('b', () => void entered.push('b'));
      }),
    );
    engine.storage.faults.loseReply('commit');
    expect(await execution.drive()).toEqual({ kind: 'ended', status: 'completed' });
    expect(entered).toEqual(['a', 'b']);
    expect((await engine.head()).revision).toBe(3);
  });
});
