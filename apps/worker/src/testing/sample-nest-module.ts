import { Module } from '@nestjs/common';
import { type RunContext } from '@millrace/durable';
import { Workflow } from '@millrace/durable/nest';

@Workflow({ name: 'inside', version: 1 })
export class Inside {
  run(_run: RunContext): Promise<string> {
    return Promise.resolve('inside');
  }
}

@Module({ providers: [Inside] })
export class InsideModule {}

export const dynamicModule = { module: InsideModule, global: true };
