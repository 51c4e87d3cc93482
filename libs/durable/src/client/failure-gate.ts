import { asError } from '../core/as-error.js';
import type { EventSink } from '../core/events.js';

/** Makes one event of a failure and one of its end, however often it is seen: a store that is away is met many times a second. */
export class FailureGate {
  private isFailing = false;

  constructor(
    private readonly emit: EventSink,
    private readonly loop: string,
    private readonly retryInMs: number,
  ) {}

  failed(thrown: unknown): void {
    if (this.isFailing) return;
    this.isFailing = true;
    const error = asError(thrown);
    this.emit({ type: 'loop.failed', loop: this.loop, error, retryInMs: this.retryInMs });
  }

  succeeded(): void {
    if (!this.isFailing) return;
    this.isFailing = false;
    this.emit({ type: 'loop.recovered', loop: this.loop });
  }
}
