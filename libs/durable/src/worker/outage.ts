import { asError } from '../core/as-error.js';
import type { EventSink } from '../core/events.js';
import type { Clock, Randomness } from '../ports/clock.js';

/** Delays between the tries of a loop whose calls fail, ms: doubled from the first to the last. */
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 3000;

/** A loop tells of trouble at most this often, ms: a connection that is cut again and again must not flood a log. */
const TOLD_EVERY_MS = 10_000;

/**
 * One loop's trouble with the store: tells once that it began and once that it is over, and how long to wait before the
 * next try (exponential, half of it random, so that a fleet does not come back in step).
 */
export class Outage {
  private failures = 0;
  private isTold = false;
  private toldAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly params: Readonly<{ loop: string; clock: Clock; random: Randomness; emit: EventSink }>) {}

  get isOn(): boolean {
    return this.failures > 0;
  }

  /** Answers the delay before the next try, ms. */
  failed(thrown: unknown): number {
    const { loop, clock, random, emit } = this.params;
    const bound = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(this.failures, 10));
    const retryInMs = Math.round(bound * (0.5 + random.fraction() / 2));
    this.failures += 1;
    if (!this.isTold && clock.monotonic() - this.toldAt >= TOLD_EVERY_MS) {
      this.isTold = true;
      this.toldAt = clock.monotonic();
      emit({ type: 'loop.failed', loop, error: asError(thrown), retryInMs });
    }
    return retryInMs;
  }

  succeeded(): void {
    this.failures = 0;
    if (!this.isTold) return;
    this.isTold = false;
    this.params.emit({ type: 'loop.recovered', loop: this.params.loop });
  }
}
