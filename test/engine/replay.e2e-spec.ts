import { describe, expect, it } from '@jest/globals';
import type { RunContext } from '@millrace/durable';
import { EngineHarness, gate, settle, workflowOf } from './engine-harness.js';

describe('replay', () => {
  it('answers confirmed steps from the journal and goes on after them', async () => {
    const engine = await EngineHarness.open();
    const entered: string[] = [];
    const hold = gate<string>();
    const flow = workflowOf(async (run: RunContext) => {
      const a = await run.step('a', () => (entered.push('a'), 'A'));
      const b = await run.step('b', () => (entered.push('b'), entered.filter((s) => s === 'b').length === 1 ? hold.opened : 'B'));
      return a + b;
    });
    await engine.submit('r1');
    const first = await engine.claim(flow);
    const firstExit = first.drive();
    await settle();
    expect(entered).toEqual(['a', 'b']);
    await engine.dieAndBury();

    const other = await EngineHarness.open({ on: engine });
    expect(await other.drive(flow)).toEqual({ kind: 'ended', status: 'completed' });
    expect(entered).toEqual(['a', 'b', 'b']);
    expect(await engine.output()).toBe('AB');

    hold.open('late');
    expect(await firstExit).toEqual({ kind: 'lost' });
    expect(await engine.output()).toBe('AB');
  });

  it('meets the same interleaving of parallel branches again', async () => {
    const engine = await EngineHarness.open();
    const gates = [gate<number>(), gate<number>(), gate<number>()];
    const seen: string[][] = [];
    const last = gate<string>();
    let execution = 0;
    const flow = workflowOf(async (run: RunContext) => {
      const order: string[] = [];
      seen.push(order);
      const branch = async (i: number) => {
        await run.step('first', () => (gates[i] as (typeof gates)[0]).opened);
        order.push(`first ${i}`);
        await run.step('second', () => i);
        order.push(`second ${i}`);
      };
      await Promise.all([0, 1, 2].map(branch));
      await run.step('last', () => ((execution += 1), execution === 1 ? last.opened : 'again'));
      return [...order, run.now() > 0, run.random(), run.uuid()];
    });
    await engine.submit('r1');
    void (await engine.claim(flow)).drive();
    for (const i of [2, 0, 1]) {
      await settle();
      gates[i]?.open(i);
    }
    await settle();
    await engine.dieAndBury();
    await (await EngineHarness.open({ on: engine })).drive(flow);
    expect(seen).toHaveLength(2);
    expect(seen[1]).toEqual(seen[0]);
    expect(seen[0]?.slice(0, 2)).toEqual(['first 2', 'second 2']);
    expect(await engine.output()).toHaveLength(9);
  });

  it('gives the same now, random and uuid', async () => {
    const engine = await EngineHarness.open();
    const values: unknown[][] = [];
    let entered = 0;
    const flow = workflowOf(async (run: RunContext) => {
      const before = [run.now(), run.random(), run.uuid()];
      await run.step('a', () => 1);
      values.push([...before, run.now(), run.random(), run.uuid()]);
      await run.step('b', () => ((entered += 1), entered === 1 ? new Promise(() => undefined) : 1));
    });
    await engine.submit('r1');
    void (await engine.claim(flow)).drive();
    await settle();
    await engine.dieAndBury();
    await (await EngineHarness.open({ on: engine })).drive(flow);
    expect(values[1]).toEqual(values[0]);
    expect(values[0]?.[2]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(values[0]?.[2]).not.toBe(values[0]?.[5]);
  });

  const changed: Array<[string, (run: RunContext) => Promise<unknown>]> = [
    ['another name', async (run) => (await run.step('x', () => 1), run.step('b', () => 1))],
    ['another kind', async (run) => (await run.sleep('a', 1), run.step('b', () => 1))],
    ['a step inserted', async (run) => (await run.step('a', () => 1), await run.step('new', () => 1), run.step('b', () => 1))],
    ['a step left out', async (run) => (await run.step('a', () => 1), 'end')],
    ['another order', async (run) => (await run.step('b', () => 1), run.step('a', () => 1))],
    ['an error swallowed', async (run) => (await run.step('x', () => 1).catch(() => 1), run.step('b', () => 1))],
  ];
  it.each(changed)('sets a run aside when its body changed: %s; nothing is overwritten', async (_, body) => {
    const engine = await EngineHarness.open();
    await engine.submit('r1');
    void (
      await engine.claim(
        workflowOf(async (run: RunContext) => (await run.step('a', () => 1), run.step('b', () => new Promise(() => undefined)))),
      )
    ).drive();
    await settle();
    const before = await engine.storage.inspector.readJournal({ runId: 'r1', from: 0, journalEnd: 0 });
    await engine.dieAndBury();
    const other = await EngineHarness.open({ on: engine });
    expect(await other.drive(workflowOf(body))).toEqual({ kind: 'ended', status: 'set-aside' });
    expect((await engine.error()).code).toBe('non_deterministic');
    expect(await engine.storage.inspector.readJournal({ runId: 'r1', from: 0, journalEnd: 0 })).toEqual(before);
    expect(other.events('step.started')).toEqual([]);
  });
});

describe('attempts and dead workers', () => {
  it.each([1, 2, 3])('a step that kills its worker is entered %p times and the run is set aside as worker lost', async (attempts) => {
    const engine = await EngineHarness.open();
    let entered = 0;
    const flow = workflowOf((run: RunContext) => run.step('deadly', () => ((entered += 1), new Promise(() => undefined)), { attempts }));
    await engine.submit('r1');
    let exit: unknown;
    for (let claim = 0; claim <= attempts; claim++) {
      const worker = await EngineHarness.open({ on: engine });
      const driven = (await worker.claim(flow)).drive();
      if (claim === attempts) exit = await driven;
      else {
        await settle();
        await engine.clock.advanceInTurns(1000);
        await settle();
        await engine.dieAndBury();
      }
    }
    expect(exit).toEqual({ kind: 'ended', status: 'set-aside' });
    expect(entered).toBe(attempts);
    expect((await engine.error()).code).toBe('worker_lost');
  });

  it('enters nothing once its claim must be taken for dead', async () => {
    const engine = await EngineHarness.open();
    let entered = 0;
    await engine.submit('r1');
    const execution = await engine.claim(workflowOf((run: RunContext) => run.step('s', () => ((entered += 1), 1))));
    engine.isAlive = false;
    expect(await execution.drive()).toEqual({ kind: 'lost' });
    expect(entered).toBe(0);
  });

  it('aborts its signals and stops when it is fenced; both runs of the function are counted', async () => {
    const engine = await EngineHarness.open();
    let seen: AbortSignal | undefined;
    await engine.submit('r1');
    const execution = await engine.claim(
      workflowOf((run: RunContext) => run.step('s', ({ signal }) => ((seen = signal), new Promise(() => undefined)))),
    );
    const driven = execution.drive();
    await settle();
    execution.fence();
    expect(await driven).toEqual({ kind: 'lost' });
    expect(seen?.reason).toMatchObject({ code: 'aborted_by_claim_loss' });
  });

  it('takes a new token and executes the lost steps again when the store lost its last writes', async () => {
    const engine = await EngineHarness.open();
    const entered: string[] = [];
    const hold = gate<number>();
    await engine.submit('r1');
    const flow = workflowOf(async (run: RunContext) => {
      await run.step('a', () => void entered.push('a'));
      await run.step('b', () => (entered.push('b'), entered.length === 2 ? hold.opened : 2));
      return run.step('c', () => void entered.push('c'));
    });
    const execution = await engine.claim(flow);
    const lost = engine.storage.server.snapshot();
    const driven = execution.drive();
    await settle();
    const before = execution.token;
    engine.storage.server.restore(lost);
    hold.open(1);
    expect(await driven).toEqual({ kind: 'ended', status: 'completed' });
    expect(entered).toEqual(['a', 'b', 'a', 'b', 'c']);
    expect(execution.token).not.toBe(before);
    expect(engine.events('claim.renewed')).toHaveLength(1);
  });
});
