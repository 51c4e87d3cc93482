import { afterEach, describe, expect, it } from '@jest/globals';
import { Injectable, Module, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { pino } from 'pino';
import { ConfigurationError, type RunContext, StoreUnavailable, systemClock, systemRandomness, workflow } from '@millrace/durable';
import { Workflow } from '@millrace/durable/nest';
import { type Signals, signalled } from '@millrace/durable/testing';
import { createPayloadCodec, MemoryStorage } from '@millrace/storage';
import { tracked, waitUntil } from '@millrace/storage/testing';
import type { LoadedModules } from './load-modules.js';
import { type OpenedStorage, WorkerApp, type WorkerAppParams } from './worker-app.js';

const track = tracked(afterEach);
const codec = createPayloadCodec();
const nothing: LoadedModules = { nestModules: [], providers: [], workflows: [], tasks: [] };
const double = workflow({ name: 'double', version: 1 }, (run, input) => run.step('double', () => Number(input) * 2));
const options = { block: '100ms', pump: '50ms', grace: '1s' } as const;

async function setUp(loaded: Partial<LoadedModules>, change: Partial<WorkerAppParams> = {}) {
  const storage = await MemoryStorage.open();
  const logged: Signals<Record<string, unknown>> = signalled({ limitMs: 10_000 });
  const write = (text: string): void => {
    const line = JSON.parse(text) as Record<string, unknown>;
    logged.raise(String(line['msg']), line);
  };
  const opened: OpenedStorage = { storage, warnings: ['appendonly is off'], close: () => storage.close() };
  const app = await track(
    Promise.resolve(
      new WorkerApp({
        config: { options },
        load: () => Promise.resolve({ ...nothing, ...loaded }),
        openStorage: () => Promise.resolve(opened),
        codec,
        clock: systemClock,
        random: systemRandomness,
        logger: pino({ level: 'debug' }, { write }),
        ...change,
      }),
    ),
  );
  /** As another client: the app closes its own. */
  const other = await storage.connect();
  const submit = (runId: string, name: string, input: unknown) =>
    other.runs.submit([
      { runId, lane: { queue: 'default', workflow: name, version: 1 }, input: codec.encode(input), digest: 'd', requestId: `b-${runId}` },
    ]);
  const outputOf = (runId: string) =>
    waitUntil({ name: `the output of ${runId}` }, async () => {
      const output = (await other.inspector.getRun(runId))?.output;
      return typeof output === 'string' && { value: codec.decode(output) };
    });
  return { app, storage, opened, logged, other, submit, outputOf };
}

describe('WorkerApp', () => {
  it('runs the workflows that were loaded, plain or of Nest modules', async () => {
    @Injectable()
    class Words {
      readonly hello = 'hello';
    }
    @Workflow({ name: 'greet', version: 1 })
    class Greet {
      constructor(private readonly words: Words) {}
      run(run: RunContext, name: unknown): Promise<string> {
        return run.step('greet', () => `${this.words.hello} ${String(name)}`);
      }
    }
    @Module({ providers: [Words, Greet] })
    class GreetModule {}
    const { app, submit, outputOf, logged } = await setUp({ workflows: [double], nestModules: [GreetModule] });
    await submit('r1', 'double', 21);
    await submit('r2', 'greet', 'Ada');
    await app.start();
    expect(await outputOf('r1')).toEqual({ value: 42 });
    expect(await outputOf('r2')).toEqual({ value: 'hello Ada' });
    expect(app.health()).toEqual({ isReady: true, problems: [] });
    expect(await logged.waitFor('the store keeps weaker promises')).toMatchObject({ level: 40, warning: 'appendonly is off' });
    expect(await app.stop()).toBe(true);
    expect(await logged.waitFor('worker.stopped')).toMatchObject({ clean: true });
  });

  it('takes nothing before the bootstrap is over (B130)', async () => {
    const order: string[] = [];
    const reached: Signals<void> = signalled();
    let goOn = (): void => undefined;
    @Injectable()
    class Slow implements OnApplicationBootstrap {
      async onApplicationBootstrap(): Promise<void> {
        reached.raise('bootstrap');
        await new Promise<void>((resolve) => (goOn = resolve));
        order.push('bootstrap ended');
      }
    }
    @Module({ providers: [Slow] })
    class SlowModule {}
    const early = workflow({ name: 'early', version: 1 }, (run) => run.step('s', () => void order.push('step')));
    const { app, submit, other } = await setUp({ workflows: [early], nestModules: [SlowModule] });
    await submit('r1', 'early', null);
    const starting = app.start();
    await reached.waitFor('bootstrap');
    expect(await other.registry.workers()).toEqual([]);
    goOn();
    await starting;
    await waitUntil({ name: 'the step' }, () => order.length === 2);
    expect(order).toEqual(['bootstrap ended', 'step']);
  });

  it('claims nothing when the bootstrap throws (B130)', async () => {
    @Injectable()
    class Broken implements OnApplicationBootstrap {
      onApplicationBootstrap(): void {
        throw new Error('no database');
      }
    }
    @Module({ providers: [Broken] })
    class BrokenModule {}
    const { app, submit, other } = await setUp({ workflows: [double], nestModules: [BrokenModule] });
    await submit('r1', 'double', 1);
    await expect(app.start()).rejects.toThrow('no database');
    expect(await other.inspector.getRun('r1')).toMatchObject({ status: 'queued', startedAt: null });
  });

  it('closes the application after the last step (B60)', async () => {
    const order: string[] = [];
    const reached: Signals<void> = signalled();
    let goOn = (): void => undefined;
    @Injectable()
    class Database implements OnModuleDestroy {
      onModuleDestroy(): void {
        order.push('database closed');
      }
    }
    @Module({ providers: [Database] })
    class DatabaseModule {}
    const slow = workflow({ name: 'slow', version: 1 }, (run) =>
      run.step('s', async () => {
        reached.raise('entered');
        await new Promise<void>((resolve) => (goOn = resolve));
        order.push('step ended');
      }),
    );
    const { app, submit, other } = await setUp({ workflows: [slow], nestModules: [DatabaseModule] });
    await submit('r1', 'slow', null);
    await app.start();
    await reached.waitFor('entered');
    const stopping = app.stop();
    goOn();
    expect(await stopping).toBe(true);
    expect(order).toEqual(['step ended', 'database closed']);
    expect(await other.inspector.getProgress('r1')).toMatchObject({ status: 'completed' });
  });

  it('waits for a store that is away, says so once, and is not ready meanwhile', async () => {
    let tries = 0;
    const { app, logged, opened } = await setUp(
      { workflows: [double] },
      { openStorage: () => (++tries < 4 ? Promise.reject(new StoreUnavailable('open')) : Promise.resolve(opened)) },
    );
    const starting = app.start();
    expect(await logged.waitFor('loop.failed')).toMatchObject({ loop: 'connect' });
    expect(app.health().isReady).toBe(false);
    await starting;
    expect(logged.count('loop.failed')).toBe(1);
    expect(app.health().isReady).toBe(true);
  });

  it('stops while it waits for the store (B59)', async () => {
    const { app, logged } = await setUp({ workflows: [double] }, { openStorage: () => Promise.reject(new StoreUnavailable('open')) });
    const starting = app.start();
    await logged.waitFor('loop.failed');
    expect(await app.stop()).toBe(true);
    await starting;
  });

  it('does not wait for a store whose configuration is wrong', async () => {
    const refused = new ConfigurationError(['Redis refused the password']);
    const { app } = await setUp({ workflows: [double] }, { openStorage: () => Promise.reject(refused) });
    await expect(app.start()).rejects.toBe(refused);
  });

  it('says what is wrong with its queues in the words of the environment, and is never idle for ever', async () => {
    const { app } = await setUp({ workflows: [double] }, { config: { options: { queues: ['defualt'] } } });
    await expect(app.start()).rejects.toThrow(/MILLRACE_QUEUES: no workflow of this worker is in queue "defualt"; did you mean default\?/);
    const idle = await setUp({});
    await expect(idle.app.start()).rejects.toThrow(/no workflow is served/);
  });
});
