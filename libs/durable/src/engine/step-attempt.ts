import { StepTimeout } from '../core/errors.js';
import type { Clock } from '../ports/clock.js';
import { attemptContext } from './attempt-context.js';
import { LazyAbortController } from './lazy-abort-controller.js';
import type { StepOperation } from './operations.js';

export type AttemptOutcome = { readonly kind: 'returned'; readonly value: unknown } | { readonly kind: 'threw'; readonly error: unknown };

interface AttemptParams {
  readonly runId: string;
  readonly step: StepOperation;
  readonly clock: Clock;
  /** How long a function that ignores its aborted signal keeps its slot. */
  readonly abandonMs: number;
  /** Called once: the function ended, or `abandonMs` passed since its attempt was given up. */
  readonly onSlotFree: () => void;
  /** Called when a function whose attempt was given up ends after all. */
  readonly onLate: (outcome: 'returned' | 'threw') => void;
}

/**
 * One execution of a step's function. It settles with the function's end or its time-out, whichever is first. A function
 * whose attempt is over runs on as long as it likes, but its result is dropped; it is counted against the concurrency
 * until it ends or `abandonMs` have passed, so that a body that ignores its signal cannot block a worker for ever.
 */
export class StepAttempt {
  private readonly controller = new LazyAbortController();
  private cancelTimeout = (): void => undefined;
  private cancelAbandon = (): void => undefined;
  private isOver = false;
  private holdsSlot = true;

  constructor(private readonly params: AttemptParams) {}

  /** Calls the function. `settle` is called at most once, never synchronously, and not after {@link giveUp}. */
  enter(settle: (outcome: AttemptOutcome) => void): void {
    const { step, runId, clock } = this.params;
    const { name: stepName, used: attempt, idempotencyKey } = step;
    const context = attemptContext({ runId, stepName, attempt, idempotencyKey }, this.controller);
    const end = (outcome: AttemptOutcome) => {
      this.freeSlot();
      if (this.isOver) this.params.onLate(outcome.kind);
      else this.finish(() => settle(outcome));
    };
    const { timeoutMs } = step.options;
    if (timeoutMs !== null) {
      this.cancelTimeout = clock.after(timeoutMs, () => {
        const error = new StepTimeout(step.name, timeoutMs);
        this.finish(() => settle({ kind: 'threw', error }));
        this.leaveBehind(error);
      });
    }
    // `new Promise` also turns a synchronous throw into a rejection.
    new Promise((resolve) => {
      resolve(step.execute(context));
    }).then(
      (value) => end({ kind: 'returned', value }),
      (error: unknown) => end({ kind: 'threw', error }),
    );
  }

  /** Tells the function to stop; its outcome still counts. */
  abort(reason: Error): void {
    this.controller.abort(reason);
  }

  /** The attempt is over whatever the function does: its signal is aborted and its outcome dropped. */
  giveUp(reason: Error): void {
    if (this.isOver) return;
    this.finish(() => undefined);
    this.leaveBehind(reason);
  }

  private finish(then: () => void): void {
    this.isOver = true;
    this.cancelTimeout();
    then();
  }

  private leaveBehind(reason: Error): void {
    this.controller.abort(reason);
    if (this.holdsSlot) this.cancelAbandon = this.params.clock.after(this.params.abandonMs, () => this.freeSlot());
  }

  private freeSlot(): void {
    if (!this.holdsSlot) return;
    this.holdsSlot = false;
    this.cancelAbandon();
    this.params.onSlotFree();
  }
}
