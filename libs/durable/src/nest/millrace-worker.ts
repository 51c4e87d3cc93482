import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { createWorker, type StartWorkerParams } from '../worker/start-worker.js';
import type { Worker } from '../worker/worker.js';
import { WorkflowExplorer } from './workflow-explorer.js';

export const MILLRACE_OPTIONS = 'millrace:options';

/** What a worker inside a Nest application is made of. Providers marked `@Workflow` and `@Task` are added to the lists. */
export type MillraceModuleOptions = Omit<StartWorkerParams, 'workflows'> & Partial<Pick<StartWorkerParams, 'workflows'>>;

/**
 * The worker of a Nest application. Call {@link start} when `app.init()` or `app.listen()` has resolved: no run is taken
 * before every module's bootstrap is over. It stops when the application closes.
 */
@Injectable()
export class MillraceWorker implements OnModuleDestroy {
  private current: Worker | null = null;

  constructor(
    @Inject(MILLRACE_OPTIONS) private readonly options: MillraceModuleOptions,
    private readonly explorer: WorkflowExplorer,
  ) {}

  /** The worker, once {@link start} was called. */
  get worker(): Worker | null {
    return this.current;
  }

  /** Resolves when work is taken. Idempotent. @throws ConfigurationError naming every fault */
  async start(): Promise<Worker> {
    this.current ??= this.create();
    await this.current.start();
    return this.current;
  }

  /** Graceful; idempotent. */
  async stop(): Promise<void> {
    await this.current?.stop();
  }

  onModuleDestroy(): Promise<void> {
    return this.stop();
  }

  private create(): Worker {
    const { workflows, tasks } = this.explorer.explore();
    return createWorker({
      ...this.options,
      workflows: [...(this.options.workflows ?? []), ...workflows],
      tasks: [...(this.options.tasks ?? []), ...tasks],
    });
  }
}
