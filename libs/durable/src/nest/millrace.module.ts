import { type DynamicModule, type FactoryProvider, Module, type ModuleMetadata } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { MILLRACE_OPTIONS, MillraceWorker, type MillraceModuleOptions } from './millrace-worker.js';
import { WorkflowExplorer } from './workflow-explorer.js';

export interface MillraceModuleAsyncOptions
  extends Pick<ModuleMetadata, 'imports'>,
    Pick<FactoryProvider<MillraceModuleOptions>, 'inject' | 'useFactory'> {}

/** Gives a Nest application a worker for the workflows and tasks among its providers. */
@Module({})
export class MillraceModule {
  static forRoot(options: MillraceModuleOptions): DynamicModule {
    return MillraceModule.forRootAsync({ useFactory: () => options });
  }

  /** As {@link forRoot}, with options made by a factory that may inject. */
  static forRootAsync({ imports = [], inject = [], useFactory }: MillraceModuleAsyncOptions): DynamicModule {
    return {
      module: MillraceModule,
      global: true,
      imports: [DiscoveryModule, ...imports],
      providers: [{ provide: MILLRACE_OPTIONS, inject, useFactory }, WorkflowExplorer, MillraceWorker],
      exports: [WorkflowExplorer, MillraceWorker],
    };
  }
}
