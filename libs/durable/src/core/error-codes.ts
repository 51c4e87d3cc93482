/** What a code tells its reader, beside its name. */
export interface ErrorCodeEntry {
  /** Class that carries it. */
  readonly error: string;
  /** True when the same call, later or elsewhere, may succeed. */
  readonly retryable: boolean;
  readonly meaning: string;
}

const entry = (error: string, retryable: boolean, meaning: string): ErrorCodeEntry => ({ error, retryable, meaning });

/** Every `code` of a {@link MillraceError}. Codes are a contract: one is added or deprecated, never renamed. */
export const errorCodes = {
  invalid_input: entry('InvalidInput', false, 'A value from outside is not valid; details.problems names every fault.'),
  payload_unsupported: entry('PayloadError', false, 'A payload holds something that cannot be stored faithfully.'),
  payload_circular: entry('PayloadError', false, 'A payload contains itself.'),
  payload_too_deep: entry('PayloadError', false, 'A payload is nested deeper than the limit.'),
  payload_too_large: entry('PayloadError', false, 'A payload has more bytes than the limit.'),
  payload_corrupt: entry('PayloadError', false, 'A stored payload cannot be read.'),
  configuration_invalid: entry('ConfigurationError', false, 'The configuration is not valid; all faults are in the message.'),
  store_unavailable: entry('StoreUnavailable', true, 'The store did not answer in time; the call may or may not have been applied.'),
  claim_lost: entry('ClaimLost', false, 'The claim belongs to somebody else, or must be taken for dead.'),
  aborted_by_claim_loss: entry('AbortedByClaimLoss', false, 'A function was aborted because its claim was lost; another worker continues.'),
  non_deterministic: entry('NonDeterminismError', false, 'The body asks for other steps than its journal has.'),
  step_failed: entry('StepFailed', false, 'A step used up its attempts or failed for good; the cause is its last error.'),
  step_timeout: entry('StepTimeout', true, 'An attempt took longer than its time-out.'),
  step_interrupted: entry('StepInterrupted', false, 'An attempt that must not be repeated was interrupted; an operator decides.'),
  worker_lost: entry('WorkerLost', true, 'The worker died while an attempt was open.'),
  run_cancelled: entry('RunCancelled', false, 'The run was cancelled.'),
  run_not_found: entry('RunNotFound', false, 'There is no such run.'),
  idempotency_conflict: entry('IdempotencyConflict', false, 'The id or key belongs to a run with another request.'),
  unknown_workflow: entry('UnknownWorkflow', false, 'No such workflow (or version) is registered; details.near lists similar names.'),
  task_not_served: entry('TaskNotServed', true, 'No worker in reach serves the task.'),
  non_retryable: entry('NonRetryable', false, 'User code said that another attempt is useless.'),
} as const satisfies Record<string, ErrorCodeEntry>;

export type ErrorCode = keyof typeof errorCodes;
