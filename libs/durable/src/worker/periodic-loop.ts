import type { EventSink } from '../core/events.js';
import type { Clock, Randomness } from '../ports/clock.js';
import { Outage } from './outage.js';

export interface PeriodicLoopParams {
  /** Named in `loop.failed`. */
  readonly name: string;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly emit: EventSink;
  /** Before the first turn, ms. */
  readonly firstDelayMs: number;
  /** One turn; answers the delay before the next one, ms. */
  readonly turn: () => Promise<number>;
}

/** Calls a function again and again, never twice at once, and slower while it fails. */
export class PeriodicLoop {
  private readonly outage: Outage;
  private isStarted = false;
  private cancelTimer: (() => void) | null = null;
  private inFlight: Promise<number> | null = null;

  constructor(private readonly params: PeriodicLoopParams) {
    this.outage = new Outage({ loop: params.name, clock: params.clock, random: params.random, emit: params.emit });
  }

  /** True while the last turn failed. */
  get isFailing(): boolean {
    return this.outage.isOn;
  }

  start(): void {
    if (this.isStarted) return;
    this.isStarted = true;
    this.arm(this.params.firstDelayMs);
  }

  /** No turn begins after it; resolves when the one in flight has ended. */
  async stop(): Promise<void> {
    this.isStarted = false;
    this.disarm();
    await this.inFlight;
  }

  /** One turn now; joins the one in flight. Never rejects: a failure is an event and a delay. */
  async tick(): Promise<void> {
    this.disarm();
    this.inFlight ??= this.turn().finally(() => {
      this.inFlight = null;
    });
    const delayMs = await this.inFlight;
    if (this.isStarted && this.inFlight === null && this.cancelTimer === null) this.arm(delayMs);
  }

  private async turn(): Promise<number> {
    try {
      const delayMs = await this.params.turn();
      this.outage.succeeded();
      return delayMs;
    } catch (error) {
      return this.outage.failed(error);
    }
  }

  private arm(delayMs: number): void {
    this.cancelTimer = this.params.clock.after(delayMs, () => {
      this.cancelTimer = null;
      void this.tick();
    });
  }

  private disarm(): void {
    this.cancelTimer?.();
    this.cancelTimer = null;
  }
}
