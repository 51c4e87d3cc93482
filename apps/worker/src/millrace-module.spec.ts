import { afterEach, describe, expect, it } from '@jest/globals';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { RunContext } from '@millrace/durable';
import { MillraceModule, MillraceWorker, Workflow } from '@millrace/durable/nest';
import { eventLog } from '@millrace/durable/testing';
import { createPayloadCodec, MemoryStorage } from '@millrace/storage';
import { tracked } from '@millrace/storage/testing';

const track = tracked(afterEach);
const codec = createPayloadCodec();

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

async function setUp() {
  const storage = await MemoryStorage.open();
  const log = eventLog({ limitMs: 10_000 });
  const options = { storage, codec, emit: log.emit, options: { block: '100ms', grace: '1s' } } as const;
  await storage.runs.submit([
    { runId: 'r1', lane: { queue: 'default', workflow: 'greet', version: 1 }, input: '"Ada"', digest: 'd', requestId: 'b' },
  ]);
  return { storage, log, options };
}

describe('MillraceModule', () => {
  it('runs the workflows among the providers once it is started, and stops with the application', async () => {
    const { storage, log, options } = await setUp();

    @Module({ imports: [MillraceModule.forRoot(options)], providers: [Words, Greet] })
    class App {}
    const app = await track(NestFactory.createApplicationContext(App, { logger: false }));
    expect(await storage.registry.workers()).toEqual([]);
    const worker = await app.get(MillraceWorker).start();
    await log.waitFor('run.ended', 'r1');
    expect((await storage.inspector.getRun('r1'))?.output).toBe('"hello Ada"');
    await app.close();
    expect(await log.waitFor('worker.stopped')).toMatchObject({ incarnation: worker.incarnation, clean: true });
  });

  it('takes options from a factory that injects', async () => {
    const { log, options } = await setUp();

    @Injectable()
    class Settings {
      readonly name = 'from-settings';
    }
    @Module({ providers: [Settings], exports: [Settings] })
    class SettingsModule {}
    @Module({
      imports: [
        MillraceModule.forRootAsync({
          imports: [SettingsModule],
          inject: [Settings],
          useFactory: ({ name }: Settings) => ({ ...options, options: { ...options.options, name } }),
        }),
      ],
      providers: [Words, Greet],
    })
    class App {}
    const app = await track(NestFactory.createApplicationContext(App, { logger: false }));
    const worker = await app.get(MillraceWorker).start();
    expect(worker.incarnation).toMatch(/^from-settings~/);
    await log.waitFor('run.ended', 'r1');
  });
});
