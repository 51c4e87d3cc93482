import type { RedisServer } from '@millrace/storage/testing';
import { openEngine } from './engine.js';
import { startApi, startWorkerProcess } from './product-process.js';
import type { ApiProcess, Engine, EngineOptions, Environment, Lab, LabProcess, Settings, WorkerProcess } from './scenario.js';

/** How far a sample came. */
export interface Progress {
  readonly done: number;
  readonly of: number;
}

/** The lab of one sample. */
export class SampleLab implements Lab {
  /** What the sample said last; null when it said nothing. */
  lastProgress: Progress | null = null;
  private readonly opened: Array<() => unknown> = [];
  private startedWorkers = 0;

  constructor(
    readonly settings: Settings,
    readonly redis: RedisServer,
    readonly signal: AbortSignal,
  ) {
    this.onClose(() => redis.stop());
  }

  progress(done: number, of: number): void {
    this.lastProgress = { done, of };
  }

  onClose(close: () => unknown): void {
    this.opened.push(close);
  }

  engine(options: EngineOptions): Promise<Engine> {
    return openEngine(this, options);
  }

  startApi(env: Environment = {}): Promise<ApiProcess> {
    return startApi({ MILLRACE_REDIS_URL: this.redis.url, ...env }, this.signal, this.killAtEnd);
  }

  startWorker(env: Environment): Promise<WorkerProcess> {
    this.startedWorkers += 1;
    const ours = { MILLRACE_REDIS_URL: this.redis.url, MILLRACE_WORKER_NAME: `bench-${this.startedWorkers}` };
    return startWorkerProcess({ ...ours, ...env }, this.signal, this.killAtEnd);
  }

  startWorkers(count: number, env: Environment): Promise<WorkerProcess[]> {
    return Promise.all(Array.from({ length: count }, () => this.startWorker(env)));
  }

  /** @throws AggregateError when something could not be closed; the rest is closed all the same */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (let close = this.opened.pop(); close !== undefined; close = this.opened.pop()) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0)
      throw new AggregateError(failures, `${failures.length} parts of a sample could not be closed: ${String(failures[0])}`);
  }

  private readonly killAtEnd = (started: LabProcess): void => this.onClose(() => started.kill());
}
