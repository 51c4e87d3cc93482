import type { Redis } from 'ioredis';
import type { Clock, EventSink, RunEvent } from '@millrace/durable';
import { BlockedReads } from './blocked-read.js';
import { answerWithin } from './connection/answer-within.js';
import { BLOCK_GRACE_MS, LONGEST_BLOCK_MS } from './connection/client-options.js';
import { failureOf } from './connection/failures.js';
import type { RedisCaller } from './connection/redis-caller.js';
import type { RedisLink } from './connection/redis-link.js';
import { FollowedPartitions } from './followed-partitions.js';
import type { StoreKeys } from './keys.js';
import { statusOf } from './record-fields.js';

/** What a reading needs of the process. */
export type Surroundings = Readonly<{ clock: Clock; emit: EventSink }>;

type Entries = ReadonlyArray<readonly [id: string, fields: readonly string[] | null]>;
type StreamsReply = ReadonlyArray<readonly [key: string, entries: Entries]> | null;

/** A read that is under way and what it spans. */
interface BlockedRead {
  readonly partitions: readonly number[];
  isEnding: boolean;
  /** Ends it, so that another one can span more. */
  readonly end: () => void;
}

/** Name of the loop in events. */
const LOOP = 'event-feed';
const CONNECT_LIMIT_MS = 4_000;
const MOST_EVENTS = 1_000;
/** Pause before the next try after a failure, and between two looks where one read cannot span the partitions. */
const PAUSE_MS = 250;

/**
 * One stretch of reading, from the first listener to the last. It reads the partitions that are followed, and nothing while
 * none is; after a reconnection from where it was.
 */
export class EventReading {
  /** Rejected when there is no connection. */
  readonly started: Promise<void>;
  private isStopped = false;
  private readonly links: RedisLink[] = [];
  private readonly followed: FollowedPartitions;
  private readonly blockedReads: BlockedReads;
  private blocked: BlockedRead | null = null;
  private readonly pauses = new Set<{ readonly ms: number | null; readonly end: () => void }>();

  constructor(
    private readonly caller: RedisCaller,
    private readonly keys: StoreKeys,
    private readonly surroundings: Surroundings,
    private readonly tell: (event: RunEvent) => void,
  ) {
    this.followed = new FollowedPartitions((partition) => this.askForEnd(partition));
    this.blockedReads = new BlockedReads(caller, surroundings.clock);
    this.started = this.start();
    // Whoever listens is told of the failure; without this line it would also count as one that nobody handles.
    this.started.catch(() => undefined);
  }

  stop(): void {
    this.isStopped = true;
    for (const link of this.links) link.close();
    this.wake();
  }

  /** Reads this partition as well, from now on. The returned function ends it; idempotent. */
  follow(partition: number): () => void {
    const leave = this.followed.add(partition);
    const read = (): void => this.readAnew(partition);
    // A failure is met again by the loop, which tells of it.
    this.followed.findEnd(partition).then(read, read);
    return leave;
  }

  /** Resolves when it is known where a followed partition is read from. @throws StoreUnavailable */
  findEnd(partition: number): Promise<void> {
    return this.followed.findEnd(partition);
  }

  private async start(): Promise<void> {
    const { groups } = this.caller.topology;
    const [first] = groups;
    if (groups.length === 1 && first !== undefined) await this.openLink(first);
    else for (const group of groups) void this.keepReading(() => this.poll(group));
  }

  private async openLink(partitions: readonly number[]): Promise<void> {
    const link = await this.caller.topology.openBlocking(partitions[0] ?? 0, CONNECT_LIMIT_MS);
    if (this.isStopped) return link.close();
    this.links.push(link);
    void this.keepReading(() => this.block(link));
  }

  private async askForEnd(partition: number): Promise<string> {
    const key = this.keys.events(partition);
    const newest = (await this.caller.command(partition, ['XREVRANGE', key, '+', '-', 'COUNT', 1])) as Entries;
    return newest[0]?.[0] ?? '0-0';
  }

  private async keepReading(read: () => Promise<void>): Promise<void> {
    let isFailing = false;
    while (!this.isStopped) {
      try {
        await read();
        if (isFailing) this.surroundings.emit({ type: 'loop.recovered', loop: LOOP });
        isFailing = false;
      } catch (error) {
        // The feed promises no more than to go on: what fails is tried again until nobody listens.
        const failure = failureOf(error);
        if (this.isStopped || failure.kind === 'closed') return;
        if (!isFailing) this.surroundings.emit({ type: 'loop.failed', loop: LOOP, error: failure.error, retryInMs: PAUSE_MS });
        isFailing = true;
        await this.pause(PAUSE_MS);
      }
    }
  }

  private async block(link: RedisLink): Promise<void> {
    const partitions = await this.followed.take();
    if (partitions.length === 0) return this.pauseUntilFollowed();
    const client = await link.ready(CONNECT_LIMIT_MS);
    try {
      const clientId = await this.blockedReads.clientId(client);
      // What was followed meanwhile is read as well.
      if (this.isStopped || this.followed.hasOtherThan(partitions)) return;
      const read: BlockedRead = { partitions, isEnding: false, end: () => void this.end(read, link, client, clientId) };
      this.blocked = read;
      this.take(await answerWithin(this.surroundings.clock, LONGEST_BLOCK_MS + BLOCK_GRACE_MS, this.read(client, partitions)));
    } catch (error) {
      link.discard(client);
      throw error;
    } finally {
      this.blocked = null;
    }
  }

  private read(client: Redis, partitions: readonly number[]): Promise<StreamsReply> {
    const keys = partitions.map((partition) => this.keys.events(partition));
    const positions = partitions.map((partition) => this.followed.positionOf(partition));
    return client.xread('COUNT', MOST_EVENTS, 'BLOCK', LONGEST_BLOCK_MS, 'STREAMS', ...keys, ...positions);
  }

  private async end(read: BlockedRead, link: RedisLink, client: Redis, clientId: number): Promise<void> {
    read.isEnding = true;
    const isOver = (): boolean => this.blocked !== read || this.isStopped;
    const partition = read.partitions[0] ?? 0;
    if (!(await this.blockedReads.end({ partition, clientId, isOver }))) link.discard(client);
  }

  private readAnew(partition: number): void {
    this.wake();
    const { blocked } = this;
    if (blocked !== null && !blocked.isEnding && !blocked.partitions.includes(partition)) blocked.end();
  }

  private async poll(group: readonly number[]): Promise<void> {
    const followed = await this.followed.take(group);
    for (const partition of followed) {
      const key = this.keys.events(partition);
      const after = `(${this.followed.positionOf(partition)}`;
      const entries = (await this.caller.command(partition, ['XRANGE', key, after, '+', 'COUNT', MOST_EVENTS])) as unknown as Entries;
      this.take([[key, entries]]);
    }
    await (followed.length === 0 ? this.pauseUntilFollowed(group) : this.pause(PAUSE_MS));
  }

  private take(reply: StreamsReply): void {
    for (const [key, entries] of reply ?? []) {
      const partition = this.keys.parse(key)?.partition ?? 0;
      for (const [id, fields] of entries) {
        this.followed.move(partition, id);
        const event = eventOf(fields ?? []);
        if (event !== null && !this.isStopped) this.tell(event);
      }
    }
  }

  private async pauseUntilFollowed(among?: readonly number[]): Promise<void> {
    if (!this.followed.hasOtherThan([], among)) await this.pause(null);
  }

  /** Ends the pauses until something is followed; one with a time is there so that nobody is asked too often. */
  private wake(): void {
    for (const { ms, end } of this.pauses) if (ms === null || this.isStopped) end();
  }

  /** Without a time: until something is followed anew. */
  private pause(ms: number | null): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        this.pauses.delete(pause);
        resolve();
      };
      const pause = { ms, end };
      const cancel = ms === null ? () => undefined : this.surroundings.clock.after(ms, end);
      this.pauses.add(pause);
      if (this.isStopped) end();
    });
  }
}

function eventOf(fields: readonly string[]): RunEvent | null {
  const named = new Map(fields.flatMap((name, i) => (i % 2 === 0 ? [[name, fields[i + 1]] as const] : [])));
  const [runId, status] = [named.get('r'), statusOf(named.get('s'))];
  return runId && status ? { runId, status } : null;
}
