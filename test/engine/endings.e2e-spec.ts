import { describe, expect, it } from '@jest/globals';
import { decodeEntry, type RunContext } from '@millrace/durable';
import { EngineHarness, gate, settle, workflowOf } from './engine-harness.js';

/** More than one commit takes. */
const MANY = 1_000;

async function statesOf(engine: EngineHarness): Promise<Set<string>> {
  const { journalEnd } = await engine.head();
  const states = new Set<string>();
  for (let from: number | null = 0; from !== null; ) {
    const page = await engine.storage.inspector.readJournal({ runId: 'r1', from, journalEnd });
    for (const [journalNumber, value] of page.entries) states.add(decodeEntry(value, journalNumber)?.state ?? 'unreadable');
    from = page.next;
  }
  return states;
}

describe('the end of a run that has more open than one commit takes', () => {
  const naps = async (run: RunContext, last: Promise<void>): Promise<string> => {
    for (let i = 0; i < MANY; i++) void run.sleep(`nap${i}`, '1h');
    await run.step('last', () => last);
    return 'over';
  };

  it('closes each of them once, and completes', async () => {
    const engine = await EngineHarness.open();
    const hold = gate();
    const driven = engine.run((run) => naps(run, hold.opened));
    await settle();
    hold.open();
    await settle(200);
    expect((await engine.head()).status).toBe('completed');
    expect(await driven).toEqual({ kind: 'ended', status: 'completed' });
    expect(await statesOf(engine)).toEqual(new Set(['abandoned', 'completed']));
  });

  it('is cancelled', async () => {
    const engine = await EngineHarness.open();
    const hold = gate();
    await engine.submit('r1');
    const execution = await engine.claim(workflowOf((run: RunContext) => naps(run, hold.opened)));
    const driven = execution.drive();
    await settle();
    await engine.storage.runs.cancel({ runId: 'r1', requestId: 'c1', reason: 'enough' });
    execution.bell();
    hold.open();
    await settle(200);
    expect((await engine.head()).status).toBe('cancelled');
    expect(await driven).toEqual({ kind: 'ended', status: 'cancelled' });
    expect(await statesOf(engine)).toEqual(new Set(['abandoned', 'completed']));
  });

  it('closes what was asked for in the same turn as the end', async () => {
    const engine = await EngineHarness.open();
    const exit = await engine.run(async (run) => {
      await run.step('first', () => 1);
      void run.sleep('nap', '1h');
      return 'over';
    });
    expect(exit).toEqual({ kind: 'ended', status: 'completed' });
    expect(await statesOf(engine)).toEqual(new Set(['abandoned', 'completed']));
  });
});

describe('a journal with an entry that cannot be read', () => {
  it('sets the run aside, with the reason, without calling its body', async () => {
    const engine = await EngineHarness.open();
    const bodies: string[] = [];
    await engine.submit('r1');
    const flow = workflowOf(async (run: RunContext) => {
      bodies.push('called');
      await run.sleep('nap', '1h');
    });
    expect(await engine.drive(flow)).toEqual({ kind: 'parked' });
    engine.clock.advance(3_600_000);
    await engine.pump();
    const execution = await engine.claim(flow);
    const { token, revision } = await engine.head();
    await engine.storage.runs.commit([
      { runId: 'r1', token: token ?? '', revision, writes: [['0', 'no entry']], opens: false, then: { kind: 'release', bits: 'b' } },
    ]);
    execution.fence();
    const exit = engine.drive(flow);
    await settle();
    expect((await engine.head()).status).toBe('set-aside');
    expect(await exit).toEqual({ kind: 'ended', status: 'set-aside' });
    expect((await engine.error()).code).toBe('payload_corrupt');
    expect(bodies).toEqual(['called']);
  });
});
