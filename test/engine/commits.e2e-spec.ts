import { describe, expect, it } from '@jest/globals';
import type { Commit, JournalPage, RunContext, RunExit, RunStore, WorkflowDefinition } from '@millrace/durable';
import { EngineHarness, gate, settle, workflowOf } from './engine-harness.js';

/** Claims and drives a run through a store whose calls the test sees, and may hold back, before they are made. */
async function driveWatched(
  engine: EngineHarness,
  flow: WorkflowDefinition,
  before: Partial<Record<'commit' | 'look', (commit: Commit | null) => Promise<void> | void>>,
) {
  const { runs } = engine.storage;
  const store: Pick<RunStore, 'commit' | 'look'> = {
    commit: async (commits) => (await before.commit?.(commits[0] ?? null), runs.commit(commits)),
    look: async (request) => (await before.look?.(null), runs.look(request)),
  };
  const watched = new Proxy(runs, {
    get: (target, name) => (name === 'commit' || name === 'look' ? store[name] : Reflect.get(target, name).bind?.(target)),
  });
  await engine.submit('r1');
  return engine.claim(flow, watched);
}

/** The mark of every journal entry, in their order: what the record says became of each operation. */
async function marks(engine: EngineHarness): Promise<string> {
  const { journalEnd } = await engine.head();
  let found = '';
  for (let from: number | null = 0; from !== null; ) {
    const page: JournalPage = await engine.storage.inspector.readJournal({ runId: 'r1', from, journalEnd });
    for (const [, value] of page.entries) found += value.charAt(0);
    from = page.next;
  }
  return found;
}

describe('a heartbeat that overtakes the answer of the last commit', () => {
  it.each([
    ['end', async () => 'over', { kind: 'ended', status: 'completed' }, 'run.ended'],
    ['park', (run: RunContext) => run.sleep('long', '1d'), { kind: 'parked' }, 'run.parked'],
  ] as const)('does not hide what became of the run: %s', async (_, body, exit, event) => {
    const engine = await EngineHarness.open();
    await engine.submit('r1');
    const execution = await engine.claim(workflowOf(body));
    const held = engine.storage.faults.hold('commit');
    const driven = execution.drive();
    await held.reached;
    execution.fence();
    held.release();
    expect(await driven).toEqual(exit);
    expect(engine.events(event)).toHaveLength(1);
  });

  it('is believed when the commit is refused', async () => {
    const engine = await EngineHarness.open();
    await engine.submit('r1');
    const execution = await engine.claim(workflowOf((run: RunContext) => run.sleep('long', '1d')));
    const held = engine.storage.faults.hold('commit');
    const driven = execution.drive();
    await held.reached;
    await engine.storage.runs.cancel({ runId: 'r1', requestId: 'q', reason: 'moves the inbox' });
    execution.fence();
    held.release();
    expect(await driven).toEqual({ kind: 'lost' });
  });
});

describe('one commit at a time', () => {
  it('loses no result when large results leave no place for what is opened beside them', async () => {
    const engine = await EngineHarness.open({ concurrency: 2 });
    const revisions: number[] = [];
    const large = 'x'.repeat(350_000);
    const entered: number[] = [];
    const flow = workflowOf(async (run: RunContext) => {
      const all = await Promise.all(Array.from({ length: 8 }, (_, i) => run.step(`p${i}`, () => (entered.push(i), `${large}${i}`))));
      return all.map((each) => each.length);
    });
    const execution = await driveWatched(engine, flow, { commit: (commit) => void revisions.push(commit?.revision ?? -1) });
    expect(await execution.drive()).toEqual({ kind: 'ended', status: 'completed' });
    expect(revisions).toEqual(revisions.map((_, i) => i));
    expect(await marks(engine)).toBe('+'.repeat(8));
    expect(engine.slots.running).toBe(0);
  });

  it('ends a run that leaves more waits open than one commit holds', async () => {
    const engine = await EngineHarness.open();
    let commits = 0;
    const flow = workflowOf((run: RunContext) =>
      Promise.race([run.step('first', () => 'won'), ...Array.from({ length: 1000 }, (_, i) => run.sleep(`s${i}`, '1h'))]),
    );
    const execution = await driveWatched(engine, flow, {
      commit: () => {
        commits += 1;
        if (commits > 20) throw new Error('it goes on and on');
      },
    });
    expect(await execution.drive()).toEqual({ kind: 'ended', status: 'completed' });
    expect(await marks(engine)).toBe(`+${'b'.repeat(1000)}`);
    expect(commits).toBeLessThan(10);
  });
});

describe('what a commit says', () => {
  it('has each field once, also of a step that is tried again at once', async () => {
    const engine = await EngineHarness.open();
    const fields: string[][] = [];
    const flow = workflowOf((run: RunContext) =>
      run.step(
        'a',
        ({ attempt }) => {
          if (attempt === 1) throw new Error('no');
          return 'ok';
        },
        { backoff: { type: 'fixed', delay: 0 } },
      ),
    );
    const execution = await driveWatched(engine, flow, {
      commit: (commit) => void fields.push(commit?.writes.map(([field]) => field) ?? []),
    });
    expect(await execution.drive()).toEqual({ kind: 'ended', status: 'completed' });
    expect(fields).toEqual([['0'], ['0!1', '0'], ['0']]);
  });

  it('gives the body the same `now` on replay though the estimate of Redis time went back during a step', async () => {
    const engine = await EngineHarness.open();
    let aheadMs = 500;
    Object.assign(engine.deps, { serverClock: { now: () => engine.clock.wall() + aheadMs } });
    const seen: number[] = [];
    const flow = workflowOf(async (run: RunContext) => {
      await run.step('a', () => void (aheadMs = 0));
      seen.push(run.now());
      await run.sleep('long', '1d');
    });
    await engine.submit('r1');
    expect(await engine.drive(flow)).toEqual({ kind: 'parked' });
    engine.clock.advance(86_500_000);
    await engine.pump();
    await engine.drive(flow);
    expect(seen).toHaveLength(2);
    expect(seen[1]).toBe(seen[0]);
  });
});

describe('a stop while attempts are being opened', () => {
  it('gives all of them back before it hands the claim back, though steps of the run wait for a slot', async () => {
    const engine = await EngineHarness.open({ concurrency: 2 });
    const answer = gate();
    const sent = gate();
    const entered: string[] = [];
    const flow = workflowOf((run: RunContext) =>
      Promise.all(['a', 'b', 'c'].map((name) => run.step(name, () => entered.push(name), { attempts: 1 }))),
    );
    const execution = await driveWatched(engine, flow, {
      commit: (commit) => (commit?.opens ? (sent.open(), answer.opened) : undefined),
    });
    const driven = execution.drive();
    await sent.opened;
    execution.stop();
    answer.open();
    expect(await driven).toEqual({ kind: 'released' });
    expect(entered).toEqual([]);
    expect(engine.slots.running).toBe(0);
    expect(await (await EngineHarness.open({ on: engine })).drive(flow)).toEqual({ kind: 'ended', status: 'completed' });
    expect(entered).toEqual(['a', 'b', 'c']);
  });
});

describe('an interruption', () => {
  const flow = workflowOf((run: RunContext) =>
    Promise.all([
      run.step('once', () => new Promise(() => undefined), { attempts: 1 }),
      run.step('often', () => new Promise(() => undefined), { attempts: 5 }),
    ]),
  );

  it('gives the attempts beside one that must not be repeated back, and says so in the record', async () => {
    const engine = await EngineHarness.open();
    await engine.submit('r1');
    const execution = await engine.claim(flow);
    const driven = execution.drive();
    await settle();
    execution.stop();
    execution.interrupt();
    expect(await driven).toEqual({ kind: 'ended', status: 'set-aside' });
    expect(await marks(engine)).toBe('or');
  });

  it('keeps results that the body has not been given yet', async () => {
    const engine = await EngineHarness.open();
    const hold = gate<string>();
    await engine.submit('r1');
    const steps = workflowOf((run: RunContext) =>
      Promise.all([
        run.step('once', () => new Promise(() => undefined), { attempts: 1 }),
        ...['b', 'c', 'd'].map((name) => run.step(name, () => hold.opened)),
      ]),
    );
    const execution = await engine.claim(steps);
    const driven = execution.drive();
    await settle();
    hold.open('done');
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    execution.interrupt();
    expect(await driven).toEqual({ kind: 'ended', status: 'set-aside' });
    expect(await marks(engine)).toBe('o+++');
  });

  it('of a run that is being cancelled ends it as cancelled', async () => {
    const engine = await EngineHarness.open();
    await engine.submit('r1');
    const execution = await engine.claim(flow);
    const driven = execution.drive();
    await settle();
    await engine.storage.runs.cancel({ runId: 'r1', requestId: 'q', reason: 'not wanted' });
    execution.bell();
    await settle();
    execution.stop();
    execution.interrupt();
    expect(await driven).toEqual({ kind: 'ended', status: 'cancelled' });
  });
});

describe('a cancel', () => {
  it('lets go of the slot that its run waited for', async () => {
    const engine = await EngineHarness.open({ concurrency: 1 });
    const hold = gate();
    const flow = workflowOf((run: RunContext) => Promise.all([run.step('a', () => hold.opened), run.step('b', () => 'b')]));
    await engine.submit('r1');
    const execution = await engine.claim(flow);
    const driven = execution.drive();
    await settle();
    expect(engine.slots.queued).toBe(1);
    await engine.storage.runs.cancel({ runId: 'r1', requestId: 'q', reason: 'not wanted' });
    execution.bell();
    await settle();
    expect(engine.slots.queued).toBe(0);
    hold.open();
    await driven;
    expect(engine.slots.running).toBe(0);
  });
});

describe('a look that the store refuses for good', () => {
  it('is told as the reason why the run was given up', async () => {
    const engine = await EngineHarness.open();
    const flow = workflowOf((run: RunContext) => run.step('a', () => new Promise(() => undefined)));
    const execution = await driveWatched(engine, flow, {
      look: () => {
        throw new Error('no such command');
      },
    });
    const driven: Promise<RunExit> = execution.drive();
    await settle();
    execution.bell();
    expect(await driven).toMatchObject({ kind: 'failed', error: { message: 'no such command' } });
  });
});
