import type { Redis } from 'ioredis';
import { StoreUnavailable, type Clock, type DeliveredActivation } from '@millrace/durable';
import { BlockedReads } from './blocked-read.js';
import { answerWithin } from './connection/answer-within.js';
import { BLOCK_GRACE_MS, LONGEST_BLOCK_MS } from './connection/client-options.js';
import { failureOf, RedisCallError } from './connection/failures.js';
import type { RedisCaller } from './connection/redis-caller.js';
import type { RedisLink } from './connection/redis-link.js';
import type { LaneStream } from './lane-streams.js';
import { scripts } from './scripts.generated.js';

/** An entry as the client library gives it; an entry that lost its fields has null. */
type StreamEntry = readonly [id: string, fields: readonly string[] | null];
type StreamsReply = ReadonlyArray<readonly [key: string, entries: readonly StreamEntry[]]> | null;

/** Time to find a connection, ms. */
const CONNECT_LIMIT_MS = 2_000;

/**
 * Waits for an entry on a connection of its own: a blocking read holds everything behind it. On a cluster there is one of
 * these a partition, because one read cannot span slots.
 */
export class LaneWaiter {
  private link: Promise<RedisLink> | null = null;
  private readonly blockedReads: BlockedReads;
  private readonly byKey: ReadonlyMap<string, LaneStream>;

  constructor(
    private readonly caller: RedisCaller,
    private readonly partition: number,
    private readonly streams: readonly LaneStream[],
    private readonly clock: Clock,
  ) {
    this.blockedReads = new BlockedReads(caller, clock);
    this.byKey = new Map(streams.map((stream) => [stream.key, stream]));
  }

  /** At most `count` entries of each stream; none when the time is up or `signal` aborts. @throws StoreUnavailable */
  async wait(timeoutMs: number, signal: AbortSignal, count = 1): Promise<DeliveredActivation[]> {
    if (signal.aborted) return [];
    const client = await this.connect();
    try {
      return await this.blockOn(client, timeoutMs, signal, count);
    } catch (error) {
      if (failureOf(error).code !== 'NOGROUP') return this.recover(client, error, signal);
    }
    await this.makeGroups();
    return this.blockOn(client, timeoutMs, signal, count).catch((error: unknown) => this.recover(client, error, signal));
  }

  async close(): Promise<void> {
    const { link } = this;
    this.link = null;
    (await link)?.close();
  }

  private async connect(): Promise<Redis> {
    this.link ??= this.caller.topology.openBlocking(this.partition, CONNECT_LIMIT_MS);
    try {
      return await (await this.link).ready(CONNECT_LIMIT_MS);
    } catch (error) {
      // The partition may have another server by now.
      await this.abandon();
      throw new StoreUnavailable('wait', { cause: failureOf(error).error });
    }
  }

  private async blockOn(client: Redis, timeoutMs: number, signal: AbortSignal, count: number): Promise<DeliveredActivation[]> {
    const { clock } = this;
    const blockMs = Math.ceil(Math.max(1, Math.min(timeoutMs, LONGEST_BLOCK_MS)));
    const clientId = await this.blockedReads.clientId(client);
    if (signal.aborted) return [];
    const keys = this.streams.map(({ key }) => key);
    const ids = keys.map(() => '>');
    const blocked = client.xreadgroup(
      'GROUP',
      'g',
      'w',
      'COUNT',
      count,
      'BLOCK',
      blockMs,
      'STREAMS',
      ...keys,
      ...ids,
    ) as Promise<StreamsReply>;
    const reading = { isOver: false };
    const unblock = (): void => void this.unblock(client, clientId, reading);
    signal.addEventListener('abort', unblock, { once: true });
    try {
      return this.delivered(await answerWithin(clock, blockMs + BLOCK_GRACE_MS, blocked));
    } finally {
      reading.isOver = true;
      signal.removeEventListener('abort', unblock);
    }
  }

  private delivered(reply: StreamsReply): DeliveredActivation[] {
    return (reply ?? []).flatMap(([key, entries]) => entries.flatMap((entry) => this.activationOf(key, entry) ?? []));
  }

  private activationOf(key: string, [entryId, fields]: StreamEntry): DeliveredActivation | null {
    const stream = this.byKey.get(key);
    const named = new Map((fields ?? []).flatMap((name, i, all) => (i % 2 === 0 ? [[name, all[i + 1] ?? ''] as const] : [])));
    const [runId, bits] = [named.get('r'), named.get('b')];
    // An entry that names no run stays pending; `reclaim` drops it.
    return stream !== undefined && runId && bits ? { runId, bits, entryId, lane: stream.lane } : null;
  }

  private async unblock(client: Redis, clientId: number, reading: Readonly<{ isOver: boolean }>): Promise<void> {
    const read = { partition: this.partition, clientId, isOver: () => reading.isOver };
    if (!(await this.blockedReads.end(read))) await this.discard(client);
  }

  private async makeGroups(): Promise<void> {
    const keys = this.streams.map(({ key }) => key);
    await this.caller.script({ name: 'makeGroups', script: scripts.makeGroups, partition: this.partition, keys, args: [] });
  }

  private async recover(client: Redis, error: unknown, signal: AbortSignal): Promise<DeliveredActivation[]> {
    const failure = failureOf(error);
    if (failure.kind === 'reply') throw new RedisCallError('wait', failure.code, failure.error);
    await this.discard(client);
    if (failure.kind === 'moved') await this.abandon();
    if (signal.aborted) return [];
    throw new StoreUnavailable('wait', { cause: failure.error });
  }

  private async discard(client: Redis): Promise<void> {
    (await this.link)?.discard(client);
  }

  private async abandon(): Promise<void> {
    const { link } = this;
    this.link = null;
    try {
      (await link)?.close();
    } catch (error) {
      // The link was never made: its own failure is what the caller is told.
      failureOf(error);
    }
  }
}
