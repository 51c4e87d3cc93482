import { describe, expect, it } from '@jest/globals';
import { NonRetryable, type StepContext, type StepOptions } from '@millrace/durable';
import { EngineHarness, gate, settle } from './engine-harness.js';

describe('a run of steps', () => {
  it('executes each step once, confirms each, and ends with the output', async () => {
    const engine = await EngineHarness.open();
    const entered: string[] = [];
    const exit = await engine.run(async (run, input: number) => {
      const a = await run.step('a', () => (entered.push('a'), input + 1));
      const b = await run.step('b', async () => (entered.push('b'), a * 10));
      return { a, b };
    }, 1);
    expect(exit).toEqual({ kind: 'ended', status: 'completed' });
    expect(await engine.output()).toEqual({ a: 2, b: 20 });
    expect(entered).toEqual(['a', 'b']);
  });

  it('takes one commit a step: opening, n − 1 in between, the end', async () => {
    const engine = await EngineHarness.open();
    await engine.run(async (run) => {
      let x = 0;
      for (let i = 0; i < 20; i++) x = await run.step('add', () => x + 1);
      return x;
    });
    expect(await engine.output()).toBe(20);
    expect((await engine.head()).revision).toBe(21);
  });

  it('runs parallel steps together and maps results to the right one', async () => {
    const engine = await EngineHarness.open();
    const gates = [gate<number>(), gate<number>(), gate<number>()];
    const driven = engine.run((run) => Promise.all(gates.map((each, i) => run.step(`p${i}`, () => each.opened))));
    await settle();
    expect(engine.events('step.started')).toHaveLength(3);
    for (const i of [2, 0, 1]) gates[i]?.open(i * 100);
    await driven;
    expect(await engine.output()).toEqual([0, 100, 200]);
  });

  it('opens no more steps than it has slots, in the order they were asked for', async () => {
    const engine = await EngineHarness.open({ concurrency: 2 });
    const gates = Array.from({ length: 5 }, () => gate<number>());
    const driven = engine.run((run) => Promise.all(gates.map((each, i) => run.step(`p${i}`, () => each.opened))));
    await settle();
    expect(engine.events('step.started')).toHaveLength(2);
    gates[1]?.open(1);
    await settle();
    expect(engine.events('step.started').map((event) => (event as { step: string }).step)).toEqual(['p0', 'p1', 'p2']);
    for (const [i, each] of gates.entries()) each.open(i);
    await driven;
    expect(await engine.output()).toEqual([0, 1, 2, 3, 4]);
    expect(engine.slots.running).toBe(0);
  });
});

describe('attempts', () => {
  it('retries after the backoff until the step succeeds', async () => {
    const engine = await EngineHarness.open();
    const attempts: number[] = [];
    const driven = engine.run((run) =>
      run.step(
        'flaky',
        ({ attempt }) => {
          attempts.push(attempt);
          if (attempt < 3) throw new Error(`no ${attempt}`);
          return 'yes';
        },
        { attempts: 3, backoff: { type: 'fixed', delay: 500 } },
      ),
    );
    await settle();
    expect(attempts).toEqual([1]);
    await engine.clock.advanceInTurns(499);
    await settle();
    expect(attempts).toEqual([1]);
    await engine.clock.advanceInTurns(1);
    await settle();
    await engine.clock.advanceInTurns(500);
    await settle();
    expect(await driven).toEqual({ kind: 'ended', status: 'completed' });
    expect(attempts).toEqual([1, 2, 3]);
    const past = await engine.storage.inspector.readPastAttempts('r1', [0]);
    expect(past[0]).toHaveLength(2);
  });

  it('stops at the budget and throws StepFailed with the original error', async () => {
    const engine = await EngineHarness.open();
    let entered = 0;
    const driven = engine.run((run) =>
      run.step(
        'bad',
        () => {
          entered += 1;
          throw Object.assign(new TypeError('broken'), { code: 'E_BROKEN' });
        },
        { attempts: 2, backoff: { type: 'fixed', delay: 0 } },
      ),
    );
    await settle();
    await engine.clock.advanceInTurns(0);
    expect(await driven).toEqual({ kind: 'ended', status: 'failed' });
    expect(entered).toBe(2);
    const error = await engine.error();
    expect(error.code).toBe('step_failed');
    expect(error.cause).toMatchObject({ name: 'TypeError', message: 'broken', code: 'E_BROKEN' });
  });

  it.each([
    ['a NonRetryable', () => new NonRetryable('no'), {}],
    ['a class name', () => new RangeError('no'), { nonRetryable: ['RangeError'] }],
    ['a code', () => Object.assign(new Error('no'), { code: 'E_NO' }), { nonRetryable: ['E_NO'] }],
    ['a predicate', () => 'just text', { nonRetryable: [(error: unknown) => error === 'just text'] }],
  ])('does not retry %s', async (_, makeError, options) => {
    const engine = await EngineHarness.open();
    let entered = 0;
    await engine.run((run) =>
      run.step(
        'bad',
        () => {
          entered += 1;
          throw makeError();
        },
        { attempts: 5, ...options },
      ),
    );
    expect(entered).toBe(1);
  });

  it('fails an attempt at its time-out, aborts its signal and drops the late result', async () => {
    const engine = await EngineHarness.open();
    const late = gate<string>();
    let seen: AbortSignal | undefined;
    const driven = engine.run((run) => run.step('slow', ({ signal }) => ((seen = signal), late.opened), { attempts: 1, timeout: '3s' }));
    await settle();
    await engine.clock.advanceInTurns(3000);
    expect(await driven).toEqual({ kind: 'ended', status: 'failed' });
    expect((await engine.error()).cause).toMatchObject({ code: 'step_timeout' });
    expect(seen?.aborted).toBe(true);
    late.open('too late');
    await settle();
    expect(engine.events('step.late')).toHaveLength(1);
    expect((await engine.head()).status).toBe('failed');
  });

  it('counts a function that ignores its signal against the concurrency, but not for ever', async () => {
    const engine = await EngineHarness.open({ concurrency: 1 });
    const driven = engine.run((run) => run.step('stuck', () => new Promise(() => undefined), { attempts: 1, timeout: 3000 }));
    await settle();
    await engine.clock.advanceInTurns(3000);
    await driven;
    expect(engine.slots.running).toBe(1);
    await engine.clock.advanceInTurns(25_000);
    expect(engine.slots.running).toBe(0);
  });

  it('hands every attempt the same idempotency key, and occurrences different ones', async () => {
    const engine = await EngineHarness.open();
    const keys: string[] = [];
    const note = ({ idempotencyKey, attempt }: StepContext) => {
      keys.push(idempotencyKey);
      if (attempt === 1) throw new Error('again');
    };
    const driven = engine.run(async (run) => {
      await run.step('s', note, { backoff: { type: 'fixed', delay: 0 } });
      await run.step('s', note, { backoff: { type: 'fixed', delay: 0 } });
      await run.step('s', note, { backoff: { type: 'fixed', delay: 0 }, key: 'own' });
    });
    for (let i = 0; i < 4; i++) {
      await settle();
      await engine.clock.advanceInTurns(0);
    }
    await driven;
    expect(keys).toEqual(['r1/s', 'r1/s', 'r1/s/2', 'r1/s/2', 'r1/#own', 'r1/#own']);
  });

  it.each([
    ['attempts 0', 'a', { attempts: 0 }],
    ['attempts 1.5', 'a', { attempts: 1.5 }],
    ['a time-out of 0', 'a', { timeout: 0 }],
    ['an unknown option', 'a', { retries: 3 }],
    ['a name that is no identifier', 'charge card', {}],
  ])('refuses %s with one clear error inside the body', async (_, name, options) => {
    const engine = await EngineHarness.open();
    await engine.run(async (run) => run.step(name, () => 1, options as StepOptions).catch((error: { code: string }) => error.code));
    expect(await engine.output()).toBe('invalid_input');
  });
});

describe('odd values', () => {
  it('fails a step for good, with the path, when its result cannot be stored', async () => {
    const engine = await EngineHarness.open();
    let entered = 0;
    const circular: Record<string, unknown> = {};
    circular['self'] = { again: circular };
    await engine.run((run) => run.step('c', () => ((entered += 1), circular)));
    expect(entered).toBe(1);
    expect((await engine.error()).cause).toMatchObject({ code: 'payload_circular' });
  });

  it('stores the value as it is at the moment of return', async () => {
    const engine = await EngineHarness.open();
    const shared = { items: [1] };
    await engine.run(async (run) => {
      const got = await run.step('s', () => shared);
      shared.items.push(2);
      got.items.push(3);
      return run.step('t', () => 'done');
    });
    const page = await engine.storage.inspector.readJournal({ runId: 'r1', from: 0, journalEnd: 0 });
    expect(page.entries[0]?.[1]).toMatch(/;s;\{"items":\[1\]\}$/);
  });

  it.each([[null], [undefined], ['text'], [Object.freeze({ a: 1 })], [new Error('with cause', { cause: new Error('inner') })]])(
    'takes a thrown %p as one attempt',
    async (thrown) => {
      const engine = await EngineHarness.open();
      let entered = 0;
      await engine.run((run) =>
        run.step(
          's',
          () => {
            entered += 1;
            throw thrown;
          },
          { attempts: 1 },
        ),
      );
      expect(entered).toBe(1);
      expect((await engine.head()).status).toBe('failed');
    },
  );

  it('does not end the process when a failed step is awaited by nobody', async () => {
    const engine = await EngineHarness.open();
    const unhandled: unknown[] = [];
    const listen = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', listen);
    await engine.run(async (run) => {
      void run.step(
        'ignored',
        () => {
          throw new Error('nobody cares');
        },
        { attempts: 1 },
      );
      return run.step('kept', () => 1);
    });
    await settle();
    process.off('unhandledRejection', listen);
    expect(unhandled).toEqual([]);
    expect(await engine.output()).toBe(1);
  });

  it('stores an output with the bytes of a confirmed result as a reference', async () => {
    const engine = await EngineHarness.open();
    const big = { text: 'x'.repeat(500) };
    await engine.run((run) => run.step('s', () => big));
    expect(await engine.output()).toEqual(big);
    expect(JSON.stringify(engine.storage.server)).toBeDefined();
  });
});

describe('the end', () => {
  it('abandons steps that are still open and aborts their signals', async () => {
    const engine = await EngineHarness.open();
    let seen: AbortSignal | undefined;
    await engine.run(async (run) => {
      void run.step('loser', ({ signal }) => ((seen = signal), new Promise(() => undefined)));
      return run.step('winner', () => 'won');
    });
    expect(seen?.aborted).toBe(true);
    const page = await engine.storage.inspector.readJournal({ runId: 'r1', from: 0, journalEnd: 0 });
    expect(page.entries.map(([, value]) => value.charAt(0))).toEqual(['a', '+']);
  });

  it('fails the run when the body throws, and when its input does not parse', async () => {
    const engine = await EngineHarness.open();
    await engine.run(async () => {
      throw new Error('of the body');
    });
    expect(await engine.error()).toMatchObject({ message: 'of the body' });
  });
});
