import type { EventSink } from '../core/events.js';
import type { Clock, Randomness } from '../ports/clock.js';
import type { HeldRuns } from './held-runs.js';
import { PeriodicLoop } from './periodic-loop.js';

/** The lease margin is four times this, so a deadline that passed is acted upon well before the lease ends. */
const WATCH_EVERY_MS = 250;

/** Fences claims whose deadline passed without an answered heartbeat, and tells the heartbeats what executions looked at. */
export class ClaimWatch {
  private readonly loop: PeriodicLoop;

  constructor(params: Readonly<{ held: Pick<HeldRuns, 'check'>; clock: Clock; random: Randomness; emit: EventSink }>) {
    const { held, clock, random, emit } = params;
    const turn = (): Promise<number> => {
      held.check();
      return Promise.resolve(WATCH_EVERY_MS);
    };
    this.loop = new PeriodicLoop({ name: 'claim-watch', clock, random, emit, firstDelayMs: WATCH_EVERY_MS, turn });
  }

  start(): void {
    this.loop.start();
  }

  stop(): Promise<void> {
    return this.loop.stop();
  }

  tick(): Promise<void> {
    return this.loop.tick();
  }
}
