import type { Clock } from '../ports/clock.js';

interface Pending {
  readonly dueAt: number;
  /** Of two callbacks that are due at one instant the one that was asked for first runs first. */
  readonly order: number;
  readonly callback: () => void;
}

/** How a fake clock starts. */
export interface FakeClockOptions {
  /** Wall clock at the start, ms since the epoch. @defaultValue 2027-01-15T08:00:00Z */
  readonly wall?: number;
  /** Monotonic clock at the start, ms. @defaultValue 0 */
  readonly monotonic?: number;
}

/** A clock that stands still until a test moves it. */
export class FakeClock implements Clock {
  private elapsedMs = 0;
  private asked = 0;
  private readonly startedAtWall: number;
  private readonly startedAtMonotonic: number;
  private wallStepMs = 0;
  private pending: Pending[] = [];

  constructor(options: FakeClockOptions = {}) {
    this.startedAtWall = options.wall ?? 1_800_000_000_000;
    this.startedAtMonotonic = options.monotonic ?? 0;
  }

  monotonic(): number {
    return this.startedAtMonotonic + this.elapsedMs;
  }

  wall(): number {
    return this.startedAtWall + this.elapsedMs + this.wallStepMs;
  }

  after(ms: number, callback: () => void): () => void {
    this.asked += 1;
    const entry: Pending = { dueAt: this.elapsedMs + Math.max(ms, 0), order: this.asked, callback };
    this.pending.push(entry);
    return () => this.remove(entry);
  }

  /** Callbacks that wait for their instant. */
  get pendingCount(): number {
    return this.pending.length;
  }

  /** Milliseconds from now until the next callback is due; null when none waits. */
  get nextDueInMs(): number | null {
    const next = this.nextDue(Number.POSITIVE_INFINITY);
    return next === undefined ? null : next.dueAt - this.elapsedMs;
  }

  /**
   * Moves both clocks by `ms`, through every instant at which a callback is due: callbacks run in order, each at its own
   * instant, those asked for meanwhile included. What a callback throws goes through; the clock stands where it threw.
   */
  advance(ms: number): void {
    const until = this.untilAfter(ms);
    while (this.runNext(until));
    this.elapsedMs = until;
  }

  /**
   * As {@link advance}, but the event loop takes a turn before the first callback and after each: what a callback starts
   * asynchronously can ask for the next one. Work of several turns may take more than that: wait for a signal of its own.
   */
  async advanceInTurns(ms: number): Promise<void> {
    const until = this.untilAfter(ms);
    do {
      await eventLoopTurn();
    } while (this.runNext(until));
    this.elapsedMs = until;
  }

  /** Steps the wall clock alone, as an operator or NTP does; callbacks follow the monotonic one. */
  stepWall(ms: number): void {
    this.wallStepMs += ms;
  }

  private untilAfter(ms: number): number {
    if (!(ms >= 0)) {
      throw new RangeError(`a clock advances by 0 ms or more, not by ${ms}`);
    }
    return this.elapsedMs + ms;
  }

  private runNext(until: number): boolean {
    const next = this.nextDue(until);
    if (next === undefined) {
      return false;
    }
    this.remove(next);
    this.elapsedMs = Math.max(this.elapsedMs, next.dueAt);
    next.callback();
    return true;
  }

  private nextDue(until: number): Pending | undefined {
    return this.pending
      .filter(({ dueAt }) => dueAt <= until)
      .reduce<Pending | undefined>((first, other) => (first === undefined || isBefore(other, first) ? other : first), undefined);
  }

  private remove(entry: Pending): void {
    this.pending = this.pending.filter((other) => other !== entry);
  }
}

function isBefore(one: Pending, other: Pending): boolean {
  return one.dueAt < other.dueAt || (one.dueAt === other.dueAt && one.order < other.order);
}

function eventLoopTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
