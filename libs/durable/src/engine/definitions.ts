import type { BackoffPolicy } from '../core/backoff.js';
import type { Duration } from '../core/durations.js';
import type { Graph } from '../core/graph.js';

/** A registered workflow: what a worker needs to advance its runs. */
export interface WorkflowDefinition<Input = unknown, Output = unknown> {
  readonly name: string;
  /** 1 or more. Runs stay on the version they were submitted with. */
  readonly version: number;
  /** @defaultValue 'default' */
  readonly queue: string;
  /** JSON Schema 2020-12 of the input, announced to the API; null accepts anything. */
  readonly inputSchema: unknown;
  /** The graph that it runs, when it is one: what is drawn of its runs. */
  readonly graph?: Graph;
  /** Turns the decoded input into what the body gets; throws `InvalidInput` when it does not fit. */
  parseInput(input: unknown): Input;
  run(run: RunContext, input: Input): Promise<Output>;
}

/** A registered function that runs as a step, named by data (graph nodes). */
export interface TaskDefinition<Input = unknown, Output = unknown> {
  readonly name: string;
  /** @defaultValue 'default' */
  readonly queue: string;
  readonly options: StepOptions;
  execute(task: TaskContext, input: Input): Promise<Output> | Output;
}

export interface StepOptions {
  /** Attempt budget, crashes included: 1–10,000. @defaultValue 3 */
  readonly attempts?: number;
  /** Of one attempt; its signal is aborted then and the attempt fails with `StepTimeout`. @defaultValue none */
  readonly timeout?: Duration;
  /** @defaultValue exponential, 1 s × 2 up to 1 min */
  readonly backoff?: BackoffPolicy;
  /** Errors for which another attempt is useless, by class name, `code`, or a predicate. `NonRetryable` always is. */
  readonly nonRetryable?: ReadonlyArray<string | ((error: unknown) => boolean)>;
  /** Identity of its own instead of name + occurrence. An identifier, unique in the run. */
  readonly key?: string;
}

export interface StepContext {
  readonly runId: string;
  readonly stepName: string;
  /** 1 for the first. */
  readonly attempt: number;
  /** The same for every attempt and every replay of this step: hand it to services that deduplicate. */
  readonly idempotencyKey: string;
  /** Aborted on time-out, cancel, loss of the claim, and when the grace period of a stop is over. `signal.reason` says which. */
  readonly signal: AbortSignal;
}
/** What a task's function gets. */
export interface TaskContext extends StepContext {
  /** Outputs of the node's predecessors by node id; empty outside graphs. */
  readonly outputs: Readonly<Record<string, unknown>>;
}
export interface TaskCallOptions extends StepOptions {
  /** @defaultValue {} */
  readonly outputs?: Readonly<Record<string, unknown>>;
}

/**
 * What a workflow body works with. A body is deterministic between its steps: it may not read clocks, randomness or the
 * outside world but through this object, and it awaits nothing but what it asks of this object. A foreign promise, even a
 * harmless one, takes turns of the event loop that a replay does not wait for: the run would be set aside as non-deterministic.
 */
export interface RunContext {
  readonly runId: string;
  readonly workflow: string;
  readonly version: number;
  /** Runs `execute` at least once and confirms its result exactly once. Throws `StepFailed` when its attempts are used up. */
  step<T>(name: string, execute: (step: StepContext) => Promise<T> | T, options?: StepOptions): Promise<T>;
  /** A durable sleep: survives workers and Redis restarts. */
  sleep(name: string, duration: Duration): Promise<void>;
  /** Runs a registered task of this worker as a step; its own options apply where `options` says nothing. */
  task<T>(name: string, task: string, input: unknown, options?: TaskCallOptions): Promise<T>;
  /** Redis time (ms) at which the last outcome was handed over: the same on replay. */
  now(): number;
  /** Uniform in [0, 1), the same on replay. */
  random(): number;
  /** Version 4 UUID, the same on replay. */
  uuid(): string;
  /** Aborted when the run is cancelled or its claim is lost. */
  readonly signal: AbortSignal;
}
