import type { Measured } from '../harness/scenario.js';
import { between, type Counted, readCounters, type Reading } from './server-counters.js';

/** A moment in a run: between two commits. */
interface Mark {
  readonly enteredAt: number;
  readonly reading: Reading;
  /** After the reading. */
  readonly leftAt: number;
}

/**
 * Watches a run of N sequential steps at the ends of its first and of its last tenth: the same number of commits lies within each.
 * A reading of the counters costs time, which is in neither.
 */
export class Tenths {
  private readonly marks = new Map<number, Mark>();
  private readonly length: number;

  constructor(
    private readonly port: number,
    private readonly steps: number,
  ) {
    this.length = Math.max(1, Math.floor(steps / 10));
  }

  /** To be called first in each step, with its number from 0. */
  async observe(step: number): Promise<void> {
    if (!this.ends.includes(step)) return;
    const enteredAt = performance.now();
    const reading = await readCounters(this.port);
    this.marks.set(step, { enteredAt, reading, leftAt: performance.now() });
  }

  /** Readings in the order of the run. */
  get readings(): readonly Reading[] {
    return [...this.marks.values()].map(({ reading }) => reading);
  }

  /** A step of each tenth on the average. Nothing when the run is too short to have two. */
  figures(): Measured {
    const [a, b, c, d] = this.ends.map((step) => this.marks.get(step));
    if (a === undefined || b === undefined || c === undefined || d === undefined || this.steps < 10) return {};
    const first = this.within(a, b);
    const last = this.within(c, d);
    return {
      firstTenthStepUs: first.stepUs,
      lastTenthStepUs: last.stepUs,
      firstTenthStepBytesIn: first.bytesIn,
      lastTenthStepBytesIn: last.bytesIn,
      firstTenthStepAofBytes: first.aofBytes,
      lastTenthStepAofBytes: last.aofBytes,
    };
  }

  private get ends(): readonly number[] {
    return [0, this.length, this.steps - 1 - this.length, this.steps - 1];
  }

  private within(from: Mark, to: Mark): { stepUs: number } & Pick<Counted, 'bytesIn' | 'aofBytes'> {
    const { bytesIn, aofBytes } = between(from.reading, to.reading);
    return {
      stepUs: ((to.enteredAt - from.leftAt) * 1000) / this.length,
      bytesIn: bytesIn / this.length,
      aofBytes: aofBytes / this.length,
    };
  }
}
