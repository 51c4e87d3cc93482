import type { Clock, DeliveredActivation, Lane, LaneReader } from '@millrace/durable';
import { deliver, deliverAgain, type LaneStream } from './lane-stream.js';
import type { MemoryServer } from './memory-server.js';
import { laneStream } from './partition.js';

interface Source {
  readonly lane: Lane;
  readonly stream: LaneStream;
}

/** Delivers activations of some lanes to one worker. */
export class MemoryLaneReader implements LaneReader {
  private nextSource = 0;
  private readonly closed = new AbortController();

  constructor(
    private readonly server: MemoryServer,
    private readonly lanes: readonly Lane[],
    private readonly clock: Clock,
  ) {}

  /** One entry from each stream in turn, beginning where the call before ended, so that no lane starves another. */
  async read(max: number): Promise<DeliveredActivation[]> {
    const sources = this.sources();
    const taken: DeliveredActivation[] = [];
    for (let empty = 0; taken.length < max && empty < sources.length; empty += 1) {
      const { lane, stream } = sources[this.nextSource % sources.length] as Source;
      this.nextSource = (this.nextSource + 1) % sources.length;
      const entries = deliver(stream, this.server.now(), 1);
      if (entries.length > 0) {
        empty = -1;
      }
      taken.push(...entries.map((entry) => activationOf(entry, lane)));
    }
    return taken;
  }

  async wait(timeoutMs: number, signal: AbortSignal): Promise<DeliveredActivation[]> {
    const limit = AbortSignal.any([signal, this.closed.signal]);
    const deadline = this.clock.monotonic() + timeoutMs;
    for (;;) {
      const taken = limit.aborted ? [] : await this.read(1);
      const remainingMs = deadline - this.clock.monotonic();
      if (taken.length > 0 || limit.aborted || remainingMs <= 0) {
        return taken;
      }
      await this.appendedOr(remainingMs, limit);
    }
  }

  async reclaim(idleMs: number, max: number): Promise<DeliveredActivation[]> {
    const taken: DeliveredActivation[] = [];
    for (const { lane, stream } of this.sources()) {
      const entries = deliverAgain(stream, this.server.now(), idleMs, max - taken.length);
      taken.push(...entries.map((entry) => activationOf(entry, lane)));
    }
    return taken;
  }

  async close(): Promise<void> {
    this.closed.abort();
  }

  private sources(): Source[] {
    return this.lanes.flatMap((lane) => this.server.partitions.map((partition) => ({ lane, stream: laneStream(partition, lane) })));
  }

  /** Resolves at the first of: some lane has a new entry, the time is over, the signal is aborted. */
  private appendedOr(timeoutMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const settle = (): void => {
        cancelTimer();
        unsubscribe();
        signal.removeEventListener('abort', settle);
        resolve();
      };
      const cancelTimer = this.clock.after(timeoutMs, settle);
      const unsubscribe = this.server.appended.add(settle);
      signal.addEventListener('abort', settle, { once: true });
    });
  }
}

function activationOf({ entryId, bits, runId }: Omit<DeliveredActivation, 'lane'>, lane: Lane): DeliveredActivation {
  return { entryId, bits, runId, lane: { ...lane } };
}
