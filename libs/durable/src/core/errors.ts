import type { ErrorCode } from './error-codes.js';
import { MillraceError, type MillraceErrorOptions } from './millrace-error.js';

interface WithCause {
  readonly cause?: unknown;
}

/** One fault of an input: where it is (`nodes[3].after[0]`, `step name`) and what is wrong with it. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

/** Faults named in one error; what is over is a count. */
const NAMED_PROBLEMS = 50;
/** Characters of a foreign message that are repeated in a message of ours; the cause has the whole. */
const QUOTED_MESSAGE = 500;

/** Something from outside is not valid. Nothing was changed. Names up to 50 faults, then their count. */
export class InvalidInput extends MillraceError {
  declare readonly details: Readonly<{ problems: readonly Problem[]; problemCount: number }>;

  /** @param problemCount when the caller stopped collecting: how many faults there are in all */
  constructor(what: string, problems: readonly Problem[], problemCount: number = problems.length) {
    super('invalid_input', describeProblems(what, problems, problemCount), {
      details: { problems: problems.slice(0, NAMED_PROBLEMS), problemCount },
    });
  }
}

export type PayloadErrorCode = Extract<ErrorCode, `payload_${string}`>;

/** A value cannot be stored, or a stored text cannot be read. `details.path` leads to the spot: `$.items[3].when`. */
export class PayloadError extends MillraceError {
  declare readonly code: PayloadErrorCode;

  // oxlint-disable-next-line no-useless-constructor -- it makes the protected one of the base public, for fewer codes
  constructor(code: PayloadErrorCode, message: string, options?: MillraceErrorOptions) {
    super(code, message, options);
  }
}

/** The configuration is not valid. The message has every fault, a line each. */
export class ConfigurationError extends MillraceError {
  constructor(problems: readonly string[]) {
    super('configuration_invalid', ['the configuration is not valid:', ...problems.map((problem) => `  - ${problem}`)].join('\n'), {
      details: { problems },
    });
  }
}

/** The store did not answer in time. A write may or may not have been applied: repeat it with the same request id. */
export class StoreUnavailable extends MillraceError {
  constructor(call: string, options: WithCause = {}) {
    super('store_unavailable', `the store did not answer ${call}`, { details: { call }, ...options });
  }
}

/** The caller does not hold the run any more. It drops the run; another claim continues it. */
export class ClaimLost extends MillraceError {
  constructor(runId: string, reason: string, options: WithCause = {}) {
    super('claim_lost', `the claim of run ${runId} is lost: ${reason}`, { details: { runId, reason }, ...options });
  }
}

/** Reason of a step's signal when the claim was lost: stop, the result would be dropped. */
export class AbortedByClaimLoss extends MillraceError {
  constructor(runId: string, options: WithCause = {}) {
    super('aborted_by_claim_loss', `stop: the claim of run ${runId} is lost and another worker continues it`, {
      details: { runId },
      ...options,
    });
  }
}

/** The body asked for another step than its journal has. The run is set aside and goes on after a fixed deploy. */
export class NonDeterminismError extends MillraceError {
  constructor(runId: string, journalNumber: number, expected: string, found: string) {
    super(
      'non_deterministic',
      `run ${runId} at journal number ${journalNumber}: the journal has ${expected}, the body asked for ${found}`,
      {
        details: { runId, journalNumber, expected, found },
      },
    );
  }
}

/** What `run.step` throws in the body when the step failed for good. `cause` is the original error. */
export class StepFailed extends MillraceError {
  readonly stepName: string;
  /** Attempts used, crashes included. */
  readonly attempts: number;

  constructor(stepName: string, attempts: number, cause: unknown) {
    const plural = attempts === 1 ? 'attempt' : 'attempts';
    super('step_failed', `step ${stepName} failed after ${attempts} ${plural}: ${messageOf(cause)}`, {
      details: { stepName, attempts },
      cause,
    });
    this.stepName = stepName;
    this.attempts = attempts;
  }
}

/** An attempt took longer than its time-out. Also the reason of its signal. */
export class StepTimeout extends MillraceError {
  constructor(stepName: string, timeoutMs: number) {
    super('step_timeout', `step ${stepName} took longer than its time-out of ${timeoutMs} ms`, { details: { stepName, timeoutMs } });
  }
}

/** An attempt that must not be repeated (`attempts: 1`) was interrupted after it was entered. */
export class StepInterrupted extends MillraceError {
  constructor(stepName: string, reason: string) {
    super('step_interrupted', `step ${stepName} was interrupted and must not be repeated: ${reason}`, { details: { stepName, reason } });
  }
}

/** The worker died while this attempt was open; whether the function had an effect is unknown. */
export class WorkerLost extends MillraceError {
  constructor(subject: string, attempt: number, options: WithCause = {}) {
    super('worker_lost', `the worker died during attempt ${attempt} of ${subject}`, { details: { subject, attempt }, ...options });
  }
}

/** The run was cancelled. Also the reason of the signals of its running steps. */
export class RunCancelled extends MillraceError {
  constructor(runId: string, reason: string) {
    super('run_cancelled', `run ${runId} was cancelled: ${reason}`, { details: { runId, reason } });
  }
}

/** There is no run of this id (never submitted, or past its retention). */
export class RunNotFound extends MillraceError {
  constructor(runId: string) {
    super('run_not_found', `there is no run ${runId}`, { details: { runId } });
  }
}

/** The run id or idempotency key belongs to a run that was submitted with another request. */
export class IdempotencyConflict extends MillraceError {
  constructor(runId: string) {
    super('idempotency_conflict', `run ${runId} exists and was submitted with another request`, { details: { runId } });
  }
}

/** No such workflow is registered, or not in this version. `details.near` has similar names. */
export class UnknownWorkflow extends MillraceError {
  constructor(workflow: string, near: readonly string[] = [], version?: number) {
    const named = version === undefined ? workflow : `${workflow} version ${version}`;
    const hint = near.length === 0 ? '' : `; did you mean ${near.join(' or ')}?`;
    super('unknown_workflow', `there is no workflow ${named}${hint}`, {
      details: { workflow, near, ...(version === undefined ? {} : { version }) },
    });
  }
}

/** No worker in reach serves the task. */
export class TaskNotServed extends MillraceError {
  constructor(task: string, near: readonly string[] = []) {
    const hint = near.length === 0 ? '' : `; did you mean ${near.join(' or ')}?`;
    super('task_not_served', `task ${task} is not served here${hint}`, { details: { task, near } });
  }
}

/** Thrown by user code (or a class derived from it): this attempt was the last, another one is useless. */
export class NonRetryable extends MillraceError {
  constructor(message: string, options?: MillraceErrorOptions) {
    super('non_retryable', message, options);
  }
}

function describeProblems(what: string, problems: readonly Problem[], problemCount: number): string {
  const named = problems.slice(0, NAMED_PROBLEMS).map(({ path, message }) => `${path} ${message}`);
  const rest = problemCount - named.length;
  return `${what} is not valid: ${named.join('; ')}${rest > 0 ? `; and ${rest} more` : ''}`;
}

/** A thrown value may be anything, also an object whose `message` throws. */
function messageOf(thrown: unknown): string {
  try {
    const message = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
    return message.length > QUOTED_MESSAGE ? `${message.slice(0, QUOTED_MESSAGE)}…` : message;
  } catch {
    return 'an error that cannot be described';
  }
}
