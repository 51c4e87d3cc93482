import type { EventSink } from '../core/events.js';
import type { Randomness } from '../ports/clock.js';

/** Delays between the tries of a loop whose calls fail, ms: doubled from the first to the last. */
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 3000;

/**
 * One loop's trouble with the store: tells once that it began and once that it is over, and how long to wait before the
 * next try (exponential, half of it random, so that a fleet does not come back in step).
 */
export class Outage {
  private failures = 0;

  constructor(private readonly params: Readonly<{ loop: string; random: Randomness; emit: EventSink }>) {}

  get isOn(): boolean {
    return this.failures > 0;
  }

  /** Answers the delay before the next try, ms. */
  failed(thrown: unknown): number {
    const bound = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(this.failures, 10));
    const retryInMs = Math.round(bound * (0.5 + this.params.random.fraction() / 2));
    this.failures += 1;
    if (this.failures === 1) this.params.emit({ type: 'loop.failed', loop: this.params.loop, error: asError(thrown), retryInMs });
    return retryInMs;
  }

  succeeded(): void {
    if (this.failures === 0) return;
    this.failures = 0;
    this.params.emit({ type: 'loop.recovered', loop: this.params.loop });
  }
}

/** Whatever was thrown, as an `Error`. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(`not an error was thrown: ${String(thrown)}`, { cause: thrown });
}
