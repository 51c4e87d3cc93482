import type { Clock } from '../ports/clock.js';
import type { ServerClock } from './claim-guard.js';
import type { Operation } from './operations.js';

/** Operations that wait for an instant, and one local timer for the earliest of them. Instants are Redis time, ms. */
export class DueTimer {
  private readonly waiting = new Map<Operation, number>();
  private armedFor = Number.POSITIVE_INFINITY;
  private disarm = (): void => undefined;

  constructor(
    private readonly clock: Clock,
    private readonly serverClock: ServerClock,
    /** Called with what is due, in the order in which it fell due. */
    private readonly onDue: (operations: readonly Operation[]) => void,
  ) {}

  get size(): number {
    return this.waiting.size;
  }

  /** The earliest due time; Infinity when nothing waits. */
  get earliest(): number {
    let earliest = Number.POSITIVE_INFINITY;
    for (const dueAt of this.waiting.values()) earliest = Math.min(earliest, dueAt);
    return earliest;
  }

  add(operation: Operation, dueAt: number): void {
    this.waiting.set(operation, dueAt);
    if (dueAt < this.armedFor) this.arm(dueAt);
  }

  stop(): void {
    this.disarm();
    this.waiting.clear();
    this.armedFor = Number.POSITIVE_INFINITY;
  }

  private arm(dueAt: number): void {
    this.disarm();
    this.armedFor = dueAt;
    if (dueAt !== Number.POSITIVE_INFINITY) this.disarm = this.clock.after(Math.max(0, dueAt - this.serverClock.now()), () => this.fire());
  }

  private fire(): void {
    const now = this.serverClock.now();
    const due = [...this.waiting].filter(([, dueAt]) => dueAt <= now).sort(([, a], [, b]) => a - b);
    for (const [operation] of due) this.waiting.delete(operation);
    this.arm(this.earliest);
    if (due.length > 0) this.onDue(due.map(([operation]) => operation));
  }
}
