import type { ServerClock } from '../engine/claim-guard.js';
import type { Clock } from '../ports/clock.js';

/** Answers kept: the best of a few calls, and a server whose clock was set back is followed after as many. */
const KEPT_SAMPLES = 8;

/**
 * Redis time as this process estimates it. Each answered call says: when it arrived, the server's clock was at least
 * `now`. So every sample is a lower bound, the greatest of the last few is the best one, and nothing is ever done early.
 */
export class ServerTime implements ServerClock {
  private readonly offsets: number[] = [];
  private bestOffset: number | null = null;

  constructor(private readonly clock: Clock) {}

  /** @param receivedAt monotonic instant at which the answer that carried `now` arrived */
  observe(now: number, receivedAt: number): void {
    this.offsets.push(now - receivedAt);
    if (this.offsets.length > KEPT_SAMPLES) this.offsets.shift();
    this.bestOffset = Math.max(...this.offsets);
  }

  /** Before the first answer: the wall clock of this machine. */
  now(): number {
    return this.bestOffset === null ? this.clock.wall() : Math.floor(this.bestOffset + this.clock.monotonic());
  }
}
