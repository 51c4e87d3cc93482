import type { EventSink } from '../core/events.js';
import type { Clock, Randomness } from '../ports/clock.js';
import type { DeliveredActivation, LaneReader } from '../ports/run-store.js';
import { type Claimer, pause } from './claimer.js';
import { Outage } from './outage.js';
import type { Room } from './room.js';

export interface IntakeParams {
  /** Called by `start()`; the reader is closed by `stop()`. */
  readonly openReader: () => LaneReader;
  readonly claimer: Pick<Claimer, 'claim' | 'handBack'>;
  readonly room: Room;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly emit: EventSink;
  readonly blockMs: number;
}

/** Reads the lanes and has the entries claimed: never more than can be started here, and it waits while there is nothing. */
export class Intake {
  private readonly outage: Outage;
  private stopping = new AbortController();
  private loop: Promise<void> | null = null;
  /** Delivered, and there was no room: claimed before anything else is read, or handed back. */
  private carried: DeliveredActivation[] = [];
  /** The last read found the lanes empty: wait instead of reading again. */
  private isDrained = false;
  private progressAt: number;

  constructor(private readonly params: IntakeParams) {
    this.outage = new Outage({ loop: 'intake', clock: params.clock, random: params.random, emit: params.emit });
    this.progressAt = params.clock.monotonic();
  }

  /** Monotonic instant of the last answered read, or at which the worker was last seen to be full. */
  get lastProgressAt(): number {
    return this.progressAt;
  }

  start(): void {
    if (this.loop !== null) return;
    this.stopping = new AbortController();
    this.progressAt = this.params.clock.monotonic();
    this.isDrained = false;
    this.loop = this.run(this.params.openReader(), this.stopping.signal);
  }

  /** Stops reading and hands back what was delivered and not claimed. Resolves when nothing of the loop is left. */
  async stop(): Promise<void> {
    this.stopping.abort();
    const loop = this.loop;
    await loop;
    if (this.loop === loop) this.loop = null;
  }

  /** One turn of the loop: waits for room, takes what there is room for, has it claimed. */
  async tick(reader: LaneReader, signal: AbortSignal = this.stopping.signal): Promise<void> {
    const { room, claimer } = this.params;
    if (room.free === 0) {
      await room.wait(signal);
      this.progress();
      return;
    }
    const entries = this.carried.length > 0 ? this.carried.splice(0) : await this.take(reader, room.free, signal);
    // Other loops claim too: what there was room for when the read was sent may be more than there is room for now.
    const free = signal.aborted ? 0 : room.free;
    this.carried.push(...entries.slice(free));
    await claimer.claim(entries.slice(0, free));
  }

  private async run(reader: LaneReader, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.tick(reader, signal);
        this.outage.succeeded();
      } catch (error) {
        this.isDrained = false;
        await pause(this.params.clock, this.outage.failed(error), signal);
      }
    }
    await this.finish(reader);
  }

  private async take(reader: LaneReader, max: number, signal: AbortSignal): Promise<DeliveredActivation[]> {
    const entries = this.isDrained ? await reader.wait(this.params.blockMs, signal, max) : await reader.read(max);
    this.isDrained = this.isDrained ? entries.length === 0 || reader.isDrained === true : entries.length < max;
    this.progress();
    return entries;
  }

  private async finish(reader: LaneReader): Promise<void> {
    try {
      await this.params.claimer.handBack(this.carried.splice(0));
      await reader.close();
    } catch (error) {
      // What could not be handed back is delivered again to somebody after its idle time.
      this.outage.failed(error);
    }
  }

  private progress(): void {
    this.progressAt = this.params.clock.monotonic();
  }
}
