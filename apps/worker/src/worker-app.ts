import { type INestApplicationContext, Module, type Type } from '@nestjs/common';
import { DiscoveryModule, NestFactory } from '@nestjs/core';
import {
  type Clock,
  ConfigurationError,
  createWorker,
  logEvents,
  Outage,
  pause,
  type Randomness,
  StoreUnavailable,
  type Worker,
  type WorkerHealth,
  type WorkerStorage,
  type WorkerCodec,
} from '@millrace/durable';
import { WorkflowExplorer } from '@millrace/durable/nest';
import type { WorkerConfig } from './config/config.js';
import { problemsOf } from './config/worker-settings.js';
import type { LoadedModules } from './load-modules.js';
import { type Logger, nestLogger } from './logger.js';

/** A storage that this process opened. */
export interface OpenedStorage {
  readonly storage: WorkerStorage;
  /** What weakens the promises on this server. */
  readonly warnings: readonly string[];
  close(): Promise<void>;
}

export interface WorkerAppParams {
  readonly config: Pick<WorkerConfig, 'options'>;
  readonly load: () => Promise<LoadedModules>;
  /** Tried again while it throws `StoreUnavailable`. */
  readonly openStorage: () => Promise<OpenedStorage>;
  readonly codec: WorkerCodec;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: Randomness;
}

/** What closing the application and the storage may take, ms. */
const CLOSE_MS = 2000;

/** The application of the workflow modules, and the worker that runs its workflows. */
export class WorkerApp {
  private readonly stopping = new AbortController();
  private context: INestApplicationContext | null = null;
  private opened: OpenedStorage | null = null;
  private worker: Worker | null = null;
  private isClean = true;
  private stopped: Promise<boolean> | null = null;

  constructor(private readonly params: WorkerAppParams) {}

  /**
   * Starts the application, and when its bootstrap is over the worker. Waits for a store that is away and says so.
   * Resolves early when it is stopped meanwhile.
   * @throws ConfigurationError; whatever the application's bootstrap throws
   */
  async start(): Promise<void> {
    const loaded = await this.params.load();
    if (this.stopping.signal.aborted) return;
    const context = await this.createContext(loaded);
    this.context = context;
    const explored = context.get(WorkflowExplorer).explore();
    const opened = await this.openStorage();
    if (opened === null) return;
    this.opened = opened;
    for (const warning of opened.warnings) this.params.logger.warn({ warning }, 'the store keeps weaker promises');
    const { codec, clock, random, logger, config } = this.params;
    const workflows = [...loaded.workflows, ...explored.workflows];
    const tasks = [...loaded.tasks, ...explored.tasks];
    const emit = logEvents(logger);
    this.worker = inSettings(() =>
      createWorker({ storage: opened.storage, codec, workflows, tasks, options: config.options, emit, clock, random }),
    );
    await this.worker.start();
  }

  health(): WorkerHealth {
    return this.worker?.health() ?? { isReady: false, problems: ['the store has not been reached yet'] };
  }

  /** Graceful; idempotent. Answers whether nothing had to be cut. */
  stop(): Promise<boolean> {
    this.stopped ??= this.end();
    return this.stopped;
  }

  private createContext(loaded: LoadedModules): Promise<INestApplicationContext> {
    const { logger } = this.params;
    const imports = [DiscoveryModule, ...loaded.nestModules];

    @Module({ imports, providers: [WorkflowExplorer, ...loaded.providers] })
    class WorkerModule {}
    return NestFactory.createApplicationContext(WorkerModule as Type, { logger: nestLogger(logger), abortOnError: false });
  }

  private async openStorage(): Promise<OpenedStorage | null> {
    const { openStorage, clock, random, logger } = this.params;
    const outage = new Outage({ loop: 'connect', clock, random, emit: logEvents(logger) });
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        const opened = await openStorage();
        outage.succeeded();
        if (!signal.aborted) return opened;
        await opened.close();
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
        await pause(clock, outage.failed(error), signal);
      }
    }
    return null;
  }

  private async end(): Promise<boolean> {
    this.stopping.abort();
    this.isClean = (await this.worker?.stop()) ?? true;
    // The application's providers serve running steps: they are closed after the last one.
    await this.limited('the application', this.context?.close());
    await this.limited('the store', this.opened?.close());
    return this.isClean;
  }

  private async limited(what: string, closing: Promise<void> | undefined): Promise<void> {
    if (closing === undefined) return;
    const over = new AbortController();
    const late = pause(this.params.clock, CLOSE_MS, over.signal).then(() => {
      if (!over.signal.aborted) throw new Error(`closing took longer than ${CLOSE_MS} ms`);
    });
    try {
      await Promise.race([closing, late]);
    } catch (error) {
      this.isClean = false;
      this.params.logger.error({ err: error }, `${what} did not close in good order`);
    } finally {
      over.abort();
    }
  }
}

/** Faults of options in the words of the environment, where the operator set them. */
function inSettings<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw error instanceof ConfigurationError ? new ConfigurationError(problemsOf(error)) : error;
  }
}
