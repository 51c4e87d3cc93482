import type { StepContext, TaskContext } from './definitions.js';
import type { LazyAbortController } from './lazy-abort-controller.js';

/** What a step's function is called with. Its signal is made when it is asked for: most functions never do. */
export class AttemptContext implements StepContext {
  readonly #controller: LazyAbortController;

  constructor(
    readonly runId: string,
    readonly stepName: string,
    readonly attempt: number,
    readonly idempotencyKey: string,
    controller: LazyAbortController,
  ) {
    this.#controller = controller;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }
}

/** What a task's function is called with: the step's context, and the outputs of the node's predecessors. */
export class TaskAttemptContext implements TaskContext {
  readonly runId: string;
  readonly stepName: string;
  readonly attempt: number;
  readonly idempotencyKey: string;
  readonly #step: StepContext;

  constructor(
    step: StepContext,
    readonly outputs: TaskContext['outputs'],
  ) {
    this.runId = step.runId;
    this.stepName = step.stepName;
    this.attempt = step.attempt;
    this.idempotencyKey = step.idempotencyKey;
    this.#step = step;
  }

  get signal(): AbortSignal {
    return this.#step.signal;
  }
}
