import type { RunEvent } from '@millrace/durable';
import type { RedisCaller } from './connection/redis-caller.js';
import { EventReading, type Surroundings } from './event-reading.js';
import type { StoreKeys } from './keys.js';

type Listener = (event: RunEvent) => void;

/** Follows event streams while somebody listens, of the partitions that somebody follows. */
export class EventFeed {
  private readonly listeners = new Set<Listener>();
  private reading: EventReading | null = null;

  constructor(
    private readonly caller: RedisCaller,
    private readonly keys: StoreKeys,
    private readonly surroundings: Surroundings,
  ) {}

  /** Hears of the runs of the partitions that are followed, by whomever. @throws StoreUnavailable */
  async listen(listener: Listener): Promise<() => void> {
    this.listeners.add(listener);
    try {
      this.reading ??= new EventReading(this.caller, this.keys, this.surroundings, (event) => this.tell(event));
      await this.reading.started;
    } catch (error) {
      this.leave(listener);
      throw error;
    }
    return () => this.leave(listener);
  }

  /** As {@link listen}, of every partition: answers once every event from now on will be seen. @throws StoreUnavailable */
  async listenToAll(listener: Listener): Promise<() => void> {
    const leave = await this.listen(listener);
    const { reading } = this;
    // Closed meanwhile: there is nothing to see any more.
    if (reading === null) return leave;
    const partitions = Array.from({ length: this.keys.partitions }, (_, partition) => partition);
    const unfollow = partitions.map((partition) => reading.follow(partition));
    const leaveAll = (): void => {
      for (const each of unfollow.splice(0)) each();
      leave();
    };
    try {
      await Promise.all(partitions.map((partition) => reading.findEnd(partition)));
    } catch (error) {
      leaveAll();
      throw error;
    }
    return leaveAll;
  }

  /**
   * From now on the events of a partition are read for those who listen: what a call sent after this one finds in the store
   * has no event that would be missed. The returned function ends it; idempotent.
   */
  follow(partition: number): () => void {
    return this.reading?.follow(partition) ?? (() => undefined);
  }

  close(): void {
    this.listeners.clear();
    this.stop();
  }

  private leave(listener: Listener): void {
    this.listeners.delete(listener);
    if (this.listeners.size === 0) this.stop();
  }

  private stop(): void {
    this.reading?.stop();
    this.reading = null;
  }

  private tell(event: RunEvent): void {
    for (const listener of this.listeners) {
      try {
        listener(event);
      } catch (error) {
        // A fault of the listener, not of the feed: it surfaces as uncaught and the others are told all the same.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
