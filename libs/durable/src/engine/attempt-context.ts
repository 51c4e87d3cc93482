import type { StepContext, TaskContext } from './definitions.js';
import type { LazyAbortController } from './lazy-abort-controller.js';

/**
 * What a step's function is called with. Its signal is made when it is asked for: most functions never do. It is a property of the
 * object itself, so that a spread takes it along.
 */
export function attemptContext(of: Omit<StepContext, 'signal'>, controller: LazyAbortController): StepContext {
  return {
    runId: of.runId,
    stepName: of.stepName,
    attempt: of.attempt,
    idempotencyKey: of.idempotencyKey,
    get signal() {
      return controller.signal;
    },
  };
}

/** What a task's function is called with: the step's context, and the outputs of the node's predecessors. */
export function taskContext(step: StepContext, outputs: TaskContext['outputs']): TaskContext {
  return {
    runId: step.runId,
    stepName: step.stepName,
    attempt: step.attempt,
    idempotencyKey: step.idempotencyKey,
    outputs,
    get signal() {
      return step.signal;
    },
  };
}
