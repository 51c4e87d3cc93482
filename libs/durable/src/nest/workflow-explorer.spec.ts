import { afterEach, describe, expect, it } from '@jest/globals';
import { Injectable, Module, Scope, type Type } from '@nestjs/common';
import { DiscoveryModule, NestFactory } from '@nestjs/core';
import { IsString } from 'class-validator';
import { ConfigurationError } from '../core/errors.js';
import type { RunContext, TaskContext } from '../engine/definitions.js';
import { Task, Workflow } from './decorators.js';
import { WorkflowExplorer } from './workflow-explorer.js';

class Greeting {
  @IsString() name!: string;
}

@Injectable()
class Words {
  readonly hello = 'hello';
}

@Workflow({ name: 'greet', version: 2, queue: 'talk', input: Greeting })
class Greet {
  constructor(private readonly words: Words) {}

  run(_run: RunContext, { name }: Greeting): Promise<string> {
    return Promise.resolve(`${this.words.hello} ${name}`);
  }
}

@Task({ name: 'shout', attempts: 2, timeout: '5s' })
class Shout {
  execute(_task: TaskContext, text: string): string {
    return text.toUpperCase();
  }
}

@Workflow({ name: 'mute', version: 1 })
class Mute {}

@Injectable({ scope: Scope.REQUEST })
class PerRequest {}

@Workflow({ name: 'scoped', version: 1 })
class Scoped {
  constructor(readonly perRequest: PerRequest) {}
  run(): Promise<void> {
    return Promise.resolve();
  }
}

let close: () => Promise<void> = () => Promise.resolve();
afterEach(() => close());

async function explorerOf(providers: Type[]): Promise<WorkflowExplorer> {
  @Module({ imports: [DiscoveryModule], providers: [...providers, WorkflowExplorer] })
  class App {}
  const app = await NestFactory.createApplicationContext(App, { logger: false });
  close = () => app.close();
  return app.get(WorkflowExplorer);
}

describe('WorkflowExplorer', () => {
  it('makes definitions bound to the injected instances', async () => {
    const { workflows, tasks } = (await explorerOf([Words, Greet, Shout])).explore();
    expect(workflows).toHaveLength(1);
    const [greet] = workflows;
    expect(greet).toMatchObject({ name: 'greet', version: 2, queue: 'talk', inputSchema: { title: 'Greeting' } });
    const input = greet?.parseInput({ name: 'Ada' });
    expect(input).toBeInstanceOf(Greeting);
    await expect(greet?.run({} as RunContext, input)).resolves.toBe('hello Ada');
    expect(tasks).toMatchObject([{ name: 'shout', queue: 'default', options: { attempts: 2, timeout: '5s' } }]);
    expect(tasks[0]?.execute({} as TaskContext, 'a')).toBe('A');
  });

  it('refuses in one error what is marked and cannot serve', async () => {
    const explorer = await explorerOf([Mute, PerRequest, Scoped]);
    expect(() => explorer.explore()).toThrow(ConfigurationError);
    expect(() => explorer.explore()).toThrow(/Mute has no method run[\s\S]*Scoped must be a singleton/);
  });
});
