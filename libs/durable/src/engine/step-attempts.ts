import { backoffMs, defaultBackoff } from '../core/backoff.js';
import { StepInterrupted, WorkerLost } from '../core/errors.js';
import { encodePastAttempt, type PastAttempt, pastAttemptField } from '../core/journal-entry.js';
import type { Uncommitted } from './commit-draft.js';
import type { EngineDeps } from './engine-deps.js';
import type { StepOperation } from './operations.js';
import { type AttemptOutcome, StepAttempt } from './step-attempt.js';
import { isNonRetryable } from './step-options.js';

interface StepAttemptsParams {
  readonly deps: EngineDeps;
  readonly about: Readonly<{ runId: string; workflow: string }>;
  readonly uncommitted: Uncommitted;
  /** Ms since the run was created. */
  readonly sinceCreation: () => number;
  /** The step completed or failed for good. */
  readonly onOutcome: (step: StepOperation) => void;
  /** The step is in state `retrying`; another attempt is due at its `endedAfter`. */
  readonly onRetry: (step: StepOperation) => void;
  /** The step's budget ended with something that only an operator can judge. Other steps may change in the same turn. */
  readonly onUndecidable: (error: Error) => void;
  /** An attempt ended and everything it changed is noted. */
  readonly onEnded: () => void;
}

/** The attempts of a run's steps: what runs now, and what becomes of a step when its attempt ends in any way. */
export class StepAttempts {
  private readonly running = new Map<StepOperation, StepAttempt>();

  constructor(private readonly params: StepAttemptsParams) {}

  get size(): number {
    return this.running.size;
  }

  /** Calls the step's function: its attempt is open and it has a slot, which is released when the function ends. */
  enter(step: StepOperation): void {
    const { deps, about } = this.params;
    const ofAttempt = { ...about, step: step.name, attempt: step.used };
    const attempt = new StepAttempt({
      runId: about.runId,
      step,
      clock: deps.clock,
      abandonMs: deps.options.abandonMs,
      onSlotFree: () => deps.slots.release(),
      onLate: (outcome) => deps.emit({ type: 'step.late', ...ofAttempt, outcome }),
    });
    this.running.set(step, attempt);
    deps.emit({ type: 'step.started', ...ofAttempt });
    attempt.enter((outcome) => this.onEnded(step, outcome));
  }

  /** The attempt was opened but will not be entered: it is given back. */
  giveBack(step: StepOperation): void {
    this.params.deps.slots.release();
    step.used -= 1;
    this.retryAfter(step, 0);
  }

  /**
   * The attempt was opened by a claim that died: it is charged, and the next one follows at once. From the second loss in the
   * step on it waits a random time: a run that kills its process is then not opened together with the same bystanders again.
   * When the budget is used up, an operator decides.
   */
  recoverLost(step: StepOperation): void {
    const error = new WorkerLost(`step ${step.name}`, step.used);
    if (step.used >= step.options.attempts) return this.params.onUndecidable(error);
    this.keepPast(step, 'worker-lost', error);
    const longestMs = step.used < 2 ? 0 : backoffMs(defaultBackoff, step.used - 1, 0).delayMs;
    this.retryAfter(step, Math.round(longestMs * this.params.deps.random.fraction()));
  }

  /** Tells every running function to stop; their outcomes still count. */
  abortAll(reason: Error): void {
    for (const attempt of this.running.values()) attempt.abort(reason);
  }

  /** Every attempt is over whatever its function does. */
  giveUpAll(reason: Error): void {
    for (const attempt of this.running.values()) attempt.giveUp(reason);
    this.running.clear();
  }

  /** A graceful stop's grace is over: attempts are given back while the interruptions last. */
  interruptAll(): void {
    for (const [step, attempt] of this.running) {
      const error = new StepInterrupted(step.name, 'the worker stops');
      attempt.giveUp(error);
      this.running.delete(step);
      this.interrupt(step, error);
    }
  }

  private interrupt(step: StepOperation, error: Error): void {
    step.endedAfter = this.endOf(step);
    this.keepPast(step, 'interrupted', error);
    if (step.options.attempts === 1) return this.params.onUndecidable(error);
    if (step.interruptions < this.params.deps.options.interruptions) {
      step.used -= 1;
      step.interruptions += 1;
    }
    if (step.used >= step.options.attempts) this.fail(step, this.params.deps.codec.encodeError(error));
    else this.retryAfter(step, 0);
  }

  private onEnded(step: StepOperation, outcome: AttemptOutcome): void {
    this.running.delete(step);
    step.endedAfter = this.endOf(step);
    if (outcome.kind === 'returned') this.confirm(step, outcome.value);
    else this.onFailed(step, outcome.error);
    this.params.onEnded();
  }

  /** The estimate of Redis time may go back; an entry holds no end before its start, and a replay must not meet another `now`. */
  private endOf(step: StepOperation): number {
    return Math.max(step.startedAfter, this.params.sinceCreation());
  }

  /** The value is stored as it is at the moment of return. */
  private confirm(step: StepOperation, value: unknown): void {
    const { deps, about } = this.params;
    try {
      step.payload = deps.codec.encode(value, { what: `result of step ${step.name}` });
    } catch (error) {
      return this.onFailed(step, error);
    }
    step.state = 'completed';
    deps.emit({ type: 'step.completed', ...about, step: step.name, attempt: step.used, durationMs: step.endedAfter - step.startedAfter });
    this.params.onOutcome(step);
  }

  private onFailed(step: StepOperation, thrown: unknown): void {
    const { deps, about } = this.params;
    const { attempts, backoff, nonRetryable } = step.options;
    const isFinal = step.used >= attempts || isNonRetryable(thrown, nonRetryable);
    const { delayMs, note } = isFinal ? { delayMs: null } : backoffMs(backoff, step.used, deps.random.fraction(), thrown);
    const error = this.keepPast(step, 'failed', thrown, note);
    deps.emit({ type: 'step.failed', ...about, step: step.name, attempt: step.used, error, retryInMs: delayMs });
    if (delayMs === null) this.fail(step, error);
    else this.retryAfter(step, delayMs);
  }

  private fail(step: StepOperation, error: string): void {
    step.state = 'failed';
    step.payload = error;
    this.params.onOutcome(step);
  }

  private retryAfter(step: StepOperation, delayMs: number): void {
    step.state = 'retrying';
    step.endedAfter = this.params.sinceCreation() + delayMs;
    this.params.uncommitted.add(step);
    this.params.onRetry(step);
  }

  /** @returns the stored text of the error */
  private keepPast(step: StepOperation, outcome: PastAttempt['outcome'], thrown: unknown, note?: string): string {
    const error = this.params.deps.codec.encodeError(thrown);
    const { startedAfter, used: attempt } = step;
    const endedAfter = Math.max(startedAfter, step.endedAfter);
    const field = pastAttemptField(step.journalNumber, step.used + step.interruptions);
    this.params.uncommitted.addField(field, encodePastAttempt({ attempt, outcome, startedAfter, endedAfter, note: note ?? null, error }));
    return error;
  }
}
