import { asError } from '../core/as-error.js';
import type { RunHead } from '../core/run-record.js';
import type { RunContext, StepContext, StepOptions, TaskCallOptions } from './definitions.js';
import { DeterministicRandom } from './deterministic-random.js';
import { LazyAbortController } from './lazy-abort-controller.js';

/** What a body can ask for; each answers a promise that is settled when the outcome is handed over. */
export interface Asks {
  readonly step: (name: string, execute: (step: StepContext) => unknown, options?: StepOptions) => Promise<unknown>;
  readonly sleep: (name: string, duration: number | string) => Promise<unknown>;
  readonly task: (name: string, task: string, input: unknown, options?: TaskCallOptions) => Promise<unknown>;
}

/** The {@link RunContext} of one body. */
export class BodyContext implements RunContext {
  readonly runId: string;
  readonly workflow: string;
  readonly version: number;
  private readonly controller = new LazyAbortController();
  private readonly deterministic: DeterministicRandom;
  private readonly createdAt: number;
  private lastOutcomeAfter = 0;

  constructor(
    head: RunHead,
    private readonly asks: Asks,
  ) {
    this.runId = head.runId;
    this.workflow = head.lane.workflow;
    this.version = head.lane.version;
    this.createdAt = head.createdAt;
    this.deterministic = new DeterministicRandom(`${head.runId}/${head.createdAt}`);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  step<T>(name: string, execute: (step: StepContext) => Promise<T> | T, options?: StepOptions): Promise<T> {
    return refusable(() => this.asks.step(name, execute, options)) as Promise<T>;
  }

  sleep(name: string, duration: number | string): Promise<void> {
    return refusable(() => this.asks.sleep(name, duration)) as Promise<void>;
  }

  task<T>(name: string, task: string, input: unknown, options?: TaskCallOptions): Promise<T> {
    return refusable(() => this.asks.task(name, task, input, options)) as Promise<T>;
  }

  now(): number {
    return this.createdAt + this.lastOutcomeAfter;
  }

  random(): number {
    return this.deterministic.fraction();
  }

  uuid(): string {
    return this.deterministic.uuid();
  }

  abort(reason: Error): void {
    this.controller.abort(reason);
  }

  /** An outcome that ended then (ms after creation) is handed over now. */
  outcomeAt(after: number): void {
    this.lastOutcomeAfter = Math.max(this.lastOutcomeAfter, after);
  }
}

/** A refused name or option rejects the call instead of throwing out of a `Promise.all([...])` list. */
function refusable(ask: () => Promise<unknown>): Promise<unknown> {
  try {
    return ask();
  } catch (error) {
    return Promise.reject(asError(error));
  }
}
