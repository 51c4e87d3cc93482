import { setMaxListeners } from 'node:events';
import type { Clock, DeliveredActivation, Lane, LaneReader } from '@millrace/durable';
import type { RedisCaller } from './connection/redis-caller.js';
import type { StoreKeys } from './keys.js';
import { deliveredFrom, laneStreams, rotate, type LaneStream } from './lane-streams.js';
import { LaneWaiter } from './lane-waiter.js';
import { scripts } from './scripts.generated.js';

/** Streams that one call can span, and who waits for them. */
interface StreamGroup {
  readonly partition: number;
  readonly streams: readonly LaneStream[];
  readonly waiter: LaneWaiter;
}

const FIRST_CURSOR = '0-0';

/** Delivers the activations of some lanes: one call for all of their streams on one server, one a partition on a cluster. */
export class RedisLaneReader implements LaneReader {
  isDrained = false;
  private readonly groups: readonly StreamGroup[];
  /** Where reading begins next time. */
  private turn = 0;
  /** How far the scan of each stream's undelivered claims has come, so that those in front never hide those behind. */
  private readonly cursors = new Map<string, string>();

  constructor(
    private readonly caller: RedisCaller,
    keys: StoreKeys,
    lanes: readonly Lane[],
    private readonly clock: Clock,
    private readonly onClose: (reader: RedisLaneReader) => void = () => undefined,
  ) {
    this.groups = caller.topology.groups
      .map((partitions) => ({ partition: partitions[0] ?? 0, streams: laneStreams(keys, partitions, lanes) }))
      .filter(({ streams }) => streams.length > 0)
      .map((group) => ({ ...group, waiter: new LaneWaiter(caller, group.partition, group.streams, clock) }));
  }

  async read(max: number): Promise<DeliveredActivation[]> {
    return this.deliver(max, async ({ partition, streams }, room) => {
      const keys = streams.map(({ key }) => key);
      const reply = await this.caller.script({ name: 'read', script: scripts.read, partition, keys, args: [room] });
      return deliveredFrom(streams, reply as ReadonlyArray<string | number>);
    });
  }

  async wait(timeoutMs: number, signal: AbortSignal, max = 1): Promise<DeliveredActivation[]> {
    if (this.groups.length === 0) return this.waitForNothing(timeoutMs, signal);
    const count = this.countOfEach(max);
    this.isDrained = false;
    const [only] = this.groups;
    const isAlone = only !== undefined && this.groups.length === 1;
    const entries = await (isAlone ? only.waiter.wait(timeoutMs, signal, count) : this.waitForAny(timeoutMs, signal, count));
    // On a cluster each wait ends those at the other servers, which costs more than to ask them all.
    this.isDrained = isAlone && entries.length < count;
    return entries;
  }

  async reclaim(idleMs: number, max: number): Promise<DeliveredActivation[]> {
    return this.deliver(max, ({ partition, streams }, room) => this.reclaimFrom(partition, streams, idleMs, room));
  }

  async close(): Promise<void> {
    this.onClose(this);
    await Promise.all(this.groups.map(({ waiter }) => waiter.close()));
  }

  /** How many entries of each stream keep within `max`; one at least. */
  private countOfEach(max: number): number {
    const streams = this.groups.reduce((sum, group) => sum + group.streams.length, 0);
    return Math.max(1, Math.floor(max / streams));
  }

  /** Asks one server after the other until there are `max`, beginning at another one each time. */
  private async deliver(
    max: number,
    from: (group: StreamGroup, room: number) => Promise<DeliveredActivation[]>,
  ): Promise<DeliveredActivation[]> {
    this.turn += 1;
    const delivered: DeliveredActivation[] = [];
    for (const group of rotate(this.groups, this.turn)) {
      if (delivered.length >= max) break;
      try {
        delivered.push(...(await from({ ...group, streams: rotate(group.streams, this.turn) }, max - delivered.length)));
      } catch (error) {
        // What others delivered is not to lie there until it is idle; the next call finds the failure again.
        if (delivered.length === 0) throw error;
        break;
      }
    }
    return delivered;
  }

  private async reclaimFrom(
    partition: number,
    streams: readonly LaneStream[],
    idleMs: number,
    max: number,
  ): Promise<DeliveredActivation[]> {
    const keys = streams.map(({ key }) => key);
    const args = [idleMs, max, ...keys.map((key) => this.cursors.get(key) ?? FIRST_CURSOR)];
    const reply = await this.caller.script({ name: 'reclaim', script: scripts.reclaim, partition, keys, args });
    const [cursors, flat] = reply as readonly [readonly string[], ReadonlyArray<string | number>];
    for (const [index, key] of keys.entries()) this.cursors.set(key, cursors[index] ?? FIRST_CURSOR);
    return deliveredFrom(streams, flat);
  }

  /** Every partition waits on its own connection; the first that has something ends the others' waits. */
  private async waitForAny(timeoutMs: number, signal: AbortSignal, count: number): Promise<DeliveredActivation[]> {
    const enough = new AbortController();
    setMaxListeners(this.groups.length, enough.signal);
    const stop = (): void => enough.abort();
    // One listener, taken off again: the caller's signal lives as long as its loop, and AbortSignal.any would leave a trace on it.
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    try {
      return await this.waitForFirst(timeoutMs, enough, count);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  private async waitForFirst(timeoutMs: number, enough: AbortController, count: number): Promise<DeliveredActivation[]> {
    const outcomes = await Promise.allSettled(
      this.groups.map(async ({ waiter }) => {
        try {
          const entries = await waiter.wait(timeoutMs, enough.signal, count);
          if (entries.length > 0) enough.abort();
          return entries;
        } catch (error) {
          enough.abort();
          throw error;
        }
      }),
    );
    const delivered = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined && delivered.length === 0) throw failed.reason;
    return delivered;
  }

  private waitForNothing(timeoutMs: number, signal: AbortSignal): Promise<DeliveredActivation[]> {
    return new Promise((resolve) => {
      const finish = (): void => {
        cancel();
        signal.removeEventListener('abort', finish);
        resolve([]);
      };
      const cancel = this.clock.after(timeoutMs, finish);
      signal.addEventListener('abort', finish, { once: true });
      if (signal.aborted) finish();
    });
  }
}
