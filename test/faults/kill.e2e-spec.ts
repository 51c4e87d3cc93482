import { afterEach, describe, expect, it } from '@jest/globals';
import { tracked } from '@millrace/storage/testing';
import type { KillPoint } from '../fixtures/killing-store.js';
import { FaultBench } from '../support/fault-bench.js';

const track = tracked(afterEach);

const points: Array<{ readonly name: string; readonly kill: KillPoint; readonly entriesOfStep: number; readonly attemptsUsed: number }> = [
  { name: 'before the attempt is opened', kill: { at: 'before-open', step: '0' }, entriesOfStep: 1, attemptsUsed: 1 },
  { name: 'after it is opened', kill: { at: 'after-open', step: '2' }, entriesOfStep: 1, attemptsUsed: 2 },
  { name: 'after user code and before the commit', kill: { at: 'before-confirm', step: '2' }, entriesOfStep: 2, attemptsUsed: 2 },
  {
    name: 'after the commit was applied and before its reply',
    kill: { at: 'after-confirm', step: '2' },
    entriesOfStep: 1,
    attemptsUsed: 1,
  },
];

describe('kill -9 of a worker', () => {
  it.each(points)('$name: the run ends right elsewhere', async ({ kill, entriesOfStep, attemptsUsed }) => {
    const bench = await FaultBench.open(track);
    const runId = await bench.submit('chain', { steps: 5 });
    const first = await bench.spawn({ kill });
    expect(await first.ended()).toEqual({ code: null, signal: 'SIGKILL' });
    await bench.worker();
    const head = await bench.ended(runId);
    expect(head.status).toBe('completed');
    expect(bench.decode(head.output)).toBe(10);
    const entered = await bench.ledger({ event: 'enter', run: runId });
    const target = Number(kill.step);
    for (let i = 0; i < 5; i++) expect(entered.filter((line) => line.step === `s${i}`)).toHaveLength(i === target ? entriesOfStep : 1);
    expect((await bench.steps(runId)).map(({ used }) => used)[target]).toBe(attemptsUsed);
    await bench.audit();
  });

  it('inside user code: the attempt is charged, the step is entered again', async () => {
    const bench = await FaultBench.open(track);
    const first = await bench.worker();
    const runId = await bench.submit('chain', { steps: 4, hold: { at: 2, file: bench.file('go') } });
    await bench.noted({ event: 'enter', run: runId, step: 's2' });
    await first.kill();
    await bench.make('go');
    await bench.worker();
    expect((await bench.ended(runId)).status).toBe('completed');
    const entered = await bench.ledger({ event: 'enter', run: runId });
    expect(entered.map(({ step, attempt }) => `${step}/${attempt}`)).toEqual(['s0/1', 's1/1', 's2/1', 's2/2', 's3/1']);
    await bench.audit();
  });

  it.each([{ at: 'before-end' } as const, { at: 'after-end' } as const])('while completing ($at)', async (kill) => {
    const bench = await FaultBench.open(track);
    const runId = await bench.submit('chain', { steps: 3 });
    const first = await bench.spawn({ kill });
    await first.ended();
    const second = await bench.worker();
    expect((await bench.ended(runId)).status).toBe('completed');
    const entered = await bench.ledger({ event: 'enter', run: runId });
    expect(entered.filter((line) => line.pid === second.pid)).toHaveLength(kill.at === 'before-end' ? 1 : 0);
    for (const step of ['s0', 's1']) expect(entered.filter((line) => line.step === step)).toHaveLength(1);
    await bench.audit();
  });

  it('right after the claim: nothing is charged to a step', async () => {
    const bench = await FaultBench.open(track);
    const runId = await bench.submit('chain', { steps: 2 });
    await (await bench.spawn({ kill: { at: 'after-claim' } })).ended();
    await bench.worker();
    const head = await bench.ended(runId);
    expect(head.status).toBe('completed');
    expect((await bench.steps(runId)).map(({ used }) => used)).toEqual([1, 1]);
    await bench.audit();
  });

  it.each(['kill', 'exit'] as const)(
    'by a step that ends its process (%s), under a restart loop: three starts, then set aside as worker lost',
    async (how) => {
      const bench = await FaultBench.open(track);
      const runId = await bench.submit('deadly', { attempts: 3, how });
      const bystander = await bench.submit('chain', { steps: 2 });
      for (let start = 0; start < 3; start++) await (await bench.spawn()).ended();
      const last = await bench.worker();
      const head = await bench.ended(runId);
      expect(head.status).toBe('set-aside');
      expect(bench.decodeError(head.error).code).toBe('worker_lost');
      expect(await bench.ledger({ event: 'enter', run: runId })).toHaveLength(3);
      expect((await bench.ended(bystander)).status).toBe('completed');
      expect(last.isAlive).toBe(true);
      await bench.audit();
    },
  );

  it('by a body that kills its process before any step: set aside after the activation budget', async () => {
    const bench = await FaultBench.open(track);
    const runId = await bench.submit('deadly-body', {});
    for (let start = 0; start < 2; start++) await (await bench.spawn({ options: { activationBudget: 2 } })).ended();
    const last = await bench.worker({ options: { activationBudget: 2 } });
    const head = await bench.ended(runId);
    expect(head.status).toBe('set-aside');
    expect(await bench.ledger({ event: 'body', run: runId })).toHaveLength(2);
    expect(last.isAlive).toBe(true);
    await bench.audit();
  });
});
