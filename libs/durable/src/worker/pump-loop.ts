import type { EventSink } from '../core/events.js';
import type { Clock, Randomness } from '../ports/clock.js';
import type { DeliveredActivation, LaneReader, PumpAnswer, RunStore } from '../ports/run-store.js';
import type { Claimer } from './claimer.js';
import type { HeldRuns } from './held-runs.js';
import { PeriodicLoop } from './periodic-loop.js';
import type { Room } from './room.js';
import type { ServerTime } from './server-time.js';
import type { ResolvedWorkerOptions } from './worker-options.js';
import type { RecordRepair } from './worker-storage.js';

/** Lapsed claims and due timers handled in one call, of each a partition. */
const PUMP_LIMIT = 100;
/** Full batches say that more is due: the next call follows at once, ms. */
const SOON_MS = 5;
const RECLAIM_EVERY_MS = 5000;
const SWEEP_EVERY_MS = 10_000;

export interface PumpLoopParams {
  readonly store: Pick<RunStore, 'pump'>;
  /** A reader of this loop's own; called by `start()`, closed by `stop()`. */
  readonly openReader: () => LaneReader;
  readonly sweepRecords?: () => Promise<readonly RecordRepair[]>;
  readonly claimer: Pick<Claimer, 'claim'>;
  readonly held: Pick<HeldRuns, 'serves'>;
  readonly room: Pick<Room, 'free'>;
  readonly serverTime: Pick<ServerTime, 'now' | 'observe'>;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly emit: EventSink;
  readonly options: Pick<ResolvedWorkerOptions, 'pumpMs' | 'reclaimIdleMs' | 'activationBudget'>;
  readonly setAsideError: string;
}

/**
 * Buries lapsed claims, wakes due runs, delivers again what somebody took and never claimed, and sweeps records. Every
 * worker does this for the whole namespace; what it makes ready and serves itself it claims at once.
 */
export class PumpLoop {
  private readonly pumping: PeriodicLoop;
  private readonly reclaiming: PeriodicLoop;
  private readonly sweeping: PeriodicLoop;
  private reader: LaneReader | null = null;

  constructor(private readonly params: PumpLoopParams) {
    const { pumpMs } = params.options;
    this.pumping = this.loop('pump', params.random.fraction() * pumpMs, () => this.pump());
    this.reclaiming = this.loop('reclaim', spread(RECLAIM_EVERY_MS, params.random), () => this.reclaim());
    this.sweeping = this.loop('sweep', spread(SWEEP_EVERY_MS, params.random), () => this.sweep());
  }

  get isFailing(): boolean {
    return this.pumping.isFailing;
  }

  start(): void {
    if (this.reader !== null) return;
    this.reader = this.params.openReader();
    this.pumping.start();
    this.reclaiming.start();
    if (this.params.sweepRecords !== undefined) this.sweeping.start();
  }

  async stop(): Promise<void> {
    const reader = this.reader;
    this.reader = null;
    await Promise.all([this.pumping.stop(), this.reclaiming.stop(), this.sweeping.stop()]);
    await reader?.close();
  }

  /** One turn of the pump now. */
  tick(): Promise<void> {
    return this.pumping.tick();
  }

  private async pump(): Promise<number> {
    const { store, options, setAsideError, serverTime, clock } = this.params;
    const answer = await store.pump({ limit: PUMP_LIMIT, activationBudget: options.activationBudget, setAsideError });
    serverTime.observe(answer.now, clock.monotonic());
    if (answer.buried > 0 || answer.setAside.length > 0) {
      this.params.emit({ type: 'claims.buried', count: answer.buried, setAside: answer.setAside });
    }
    await this.claimOwn(answer.activations);
    return this.nextPumpInMs(answer);
  }

  /** What there is no room for stays in its lane. */
  private async claimOwn(activations: readonly DeliveredActivation[]): Promise<void> {
    const { held, room, claimer } = this.params;
    const own = activations.filter(({ lane }) => held.serves(lane)).slice(0, room.free);
    if (own.length > 0) await claimer.claim(own);
  }

  /** At the next timer, or after the usual pause when that is sooner; at once when a batch was full. */
  private nextPumpInMs({ buried, fired, nextWakeAt }: PumpAnswer): number {
    const { pumpMs } = this.params.options;
    if (buried >= PUMP_LIMIT || fired >= PUMP_LIMIT) return SOON_MS;
    if (nextWakeAt === null) return pumpMs;
    return Math.min(pumpMs, Math.max(SOON_MS, nextWakeAt - this.params.serverTime.now()));
  }

  private async reclaim(): Promise<number> {
    const { room, claimer, options, random } = this.params;
    const free = room.free;
    // A full worker leaves forgotten entries to those that can start them.
    if (this.reader !== null && free > 0) {
      const entries = await this.reader.reclaim(options.reclaimIdleMs, free);
      // Other loops claimed meanwhile: what there is no room for any more is delivered again when it has been idle once more.
      const startable = entries.slice(0, room.free);
      if (startable.length > 0) await claimer.claim(startable);
    }
    return spread(RECLAIM_EVERY_MS, random);
  }

  private async sweep(): Promise<number> {
    for (const repair of (await this.params.sweepRecords?.()) ?? []) this.params.emit({ type: 'record.repaired', ...repair });
    return spread(SWEEP_EVERY_MS, this.params.random);
  }

  private loop(name: string, firstDelayMs: number, turn: () => Promise<number>): PeriodicLoop {
    const { clock, random, emit } = this.params;
    return new PeriodicLoop({ name, clock, random, emit, firstDelayMs, turn });
  }
}

/** From 0.8 to 1.2 times, so that the workers of a fleet take turns. */
function spread(ms: number, random: Randomness): number {
  return Math.round(ms * (0.8 + random.fraction() * 0.4));
}
