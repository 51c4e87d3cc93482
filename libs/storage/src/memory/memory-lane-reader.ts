import type { Clock, DeliveredActivation, Lane, LaneReader } from '@millrace/durable';
import { deliver, deliverAgain, type LaneStream } from './lane-stream.js';
import type { MemoryServer } from './memory-server.js';
import { laneStream } from './partition.js';

type HandOver = (stream: LaneStream, max: number) => Array<Pick<DeliveredActivation, 'entryId' | 'bits' | 'runId'>>;

/** Delivers activations of some lanes to one worker. */
export class MemoryLaneReader implements LaneReader {
  private nextSource = 0;
  private readonly closed = new AbortController();

  constructor(
    private readonly server: MemoryServer,
    private readonly lanes: readonly Lane[],
    private readonly clock: Clock,
  ) {}

  async read(max: number): Promise<DeliveredActivation[]> {
    return this.take(max, (stream, most) => deliver(stream, this.server.now(), most));
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
    return this.take(max, (stream, most) => deliverAgain(stream, this.server.now(), idleMs, most));
  }

  async close(): Promise<void> {
    this.closed.abort();
  }

  /** One entry from each stream in turn, beginning where the call before ended, so that no lane starves another. */
  private take(max: number, handOver: HandOver): DeliveredActivation[] {
    const sources = this.lanes.flatMap((lane) => this.server.partitions.map((partition) => ({ lane, stream: laneStream(partition, lane) })));
    const taken: DeliveredActivation[] = [];
    let empty = 0;
    while (taken.length < max && empty < sources.length) {
      const { lane, stream } = sources[this.nextSource % sources.length] as (typeof sources)[number];
      this.nextSource = (this.nextSource + 1) % sources.length;
      const entries = handOver(stream, 1);
      empty = entries.length === 0 ? empty + 1 : 0;
      taken.push(...entries.map(({ entryId, bits, runId }) => ({ entryId, bits, runId, lane: { ...lane } })));
    }
    return taken;
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
