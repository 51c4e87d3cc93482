import { Injectable } from '@nestjs/common';
import { type RunContext, task, workflow } from '@millrace/durable';
import { Task, Workflow } from '@millrace/durable/nest';

export const plainWorkflow = workflow({ name: 'plain', version: 1 }, () => Promise.resolve('plain'));
export const several = [workflow({ name: 'first', version: 1 }, () => Promise.resolve(1)), task({ name: 'second' }, () => 2)];

@Workflow({ name: 'alone', version: 1 })
export class Alone {
  run(_run: RunContext): Promise<string> {
    return Promise.resolve('alone');
  }
}

@Task({ name: 'helping' })
export class Helping {
  execute(): string {
    return 'help';
  }
}

/** Not what a worker serves: left alone. */
@Injectable()
export class Service {}
export const somethingElse = { name: 'other', run: () => 1 };

export default workflow({ name: 'default-export', version: 1 }, () => Promise.resolve(0));
