import type { Redis } from 'ioredis';
import type { Clock, EventSink, RunEvent } from '@millrace/durable';
import { answerWithin } from './connection/answer-within.js';
import { BLOCK_GRACE_MS, LONGEST_BLOCK_MS } from './connection/client-options.js';
import { failureOf } from './connection/failures.js';
import type { RedisCaller } from './connection/redis-caller.js';
import type { RedisLink } from './connection/redis-link.js';
import type { StoreKeys } from './keys.js';
import { statusOf } from './record-fields.js';

type Listener = (event: RunEvent) => void;
type StreamsReply = ReadonlyArray<
  readonly [key: string, entries: ReadonlyArray<readonly [id: string, fields: readonly string[] | null]>]
> | null;

type Surroundings = Readonly<{ clock: Clock; emit: EventSink }>;

/** Name of the loop in events. */
const LOOP = 'event-feed';
const CONNECT_LIMIT_MS = 4_000;
const MOST_EVENTS = 1_000;
/** Pause before the next try after a failure, and between two looks where one read cannot span the partitions. */
const PAUSE_MS = 250;

/** Follows the event streams while somebody listens. Reads from where it was after a reconnection. */
export class EventFeed {
  private readonly listeners = new Set<Listener>();
  private reading: Reading | null = null;

  constructor(
    private readonly caller: RedisCaller,
    private readonly keys: StoreKeys,
    private readonly surroundings: Surroundings,
  ) {}

  /** Answers once every event from now on will be seen. @throws StoreUnavailable */
  async listen(listener: Listener): Promise<() => void> {
    this.listeners.add(listener);
    try {
      this.reading ??= new Reading(this.caller, this.keys, this.surroundings, (event) => this.tell(event));
      await this.reading.started;
    } catch (error) {
      this.leave(listener);
      throw error;
    }
    return () => this.leave(listener);
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

/** One stretch of reading, from the first listener to the last. */
class Reading {
  readonly started: Promise<void>;
  private isStopped = false;
  private readonly links: RedisLink[] = [];
  private readonly positions = new Map<string, string>();
  private wakeFromPause: (() => void) | null = null;

  constructor(
    private readonly caller: RedisCaller,
    private readonly keys: StoreKeys,
    private readonly surroundings: Surroundings,
    private readonly tell: Listener,
  ) {
    this.started = this.start();
    // Whoever listens is told of the failure; without this line it would also count as one that nobody handles.
    this.started.catch(() => undefined);
  }

  stop(): void {
    this.isStopped = true;
    for (const link of this.links) link.close();
    this.wakeFromPause?.();
  }

  private async start(): Promise<void> {
    const partitions = Array.from({ length: this.keys.partitions }, (_, partition) => partition);
    await Promise.all(partitions.map((partition) => this.findEnd(partition)));
    const { groups } = this.caller.topology;
    const [first] = groups;
    if (groups.length === 1 && first !== undefined) await this.openLink(first);
    else for (const group of groups) void this.follow(() => this.poll(group));
  }

  private async openLink(partitions: readonly number[]): Promise<void> {
    const link = await this.caller.topology.openBlocking(partitions[0] ?? 0, CONNECT_LIMIT_MS);
    if (this.isStopped) return link.close();
    this.links.push(link);
    void this.follow(() => this.block(link, partitions));
  }

  private async findEnd(partition: number): Promise<void> {
    const key = this.keys.events(partition);
    const newest = (await this.caller.command(partition, ['XREVRANGE', key, '+', '-', 'COUNT', 1])) as ReadonlyArray<readonly [string]>;
    this.positions.set(key, newest[0]?.[0] ?? '0-0');
  }

  private async follow(read: () => Promise<void>): Promise<void> {
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
        await this.pause();
      }
    }
  }

  private async block(link: RedisLink, partitions: readonly number[]): Promise<void> {
    const client = await link.ready(CONNECT_LIMIT_MS);
    try {
      this.take(await answerWithin(this.surroundings.clock, LONGEST_BLOCK_MS + BLOCK_GRACE_MS, this.read(client, partitions)));
    } catch (error) {
      link.discard(client);
      throw error;
    }
  }

  private read(client: Redis, partitions: readonly number[]): Promise<StreamsReply> {
    const keys = partitions.map((partition) => this.keys.events(partition));
    const blockMs = LONGEST_BLOCK_MS;
    return client.xread('COUNT', MOST_EVENTS, 'BLOCK', blockMs, 'STREAMS', ...keys, ...keys.map((key) => this.position(key)));
  }

  private async poll(partitions: readonly number[]): Promise<void> {
    for (const partition of partitions) {
      const key = this.keys.events(partition);
      const entries = await this.caller.command(partition, ['XRANGE', key, `(${this.position(key)}`, '+', 'COUNT', MOST_EVENTS]);
      this.take([[key, entries as never]]);
    }
    await this.pause();
  }

  private take(reply: StreamsReply): void {
    for (const [key, entries] of reply ?? []) {
      for (const [id, fields] of entries) {
        this.positions.set(key, id);
        const event = eventOf(fields ?? []);
        if (event !== null && !this.isStopped) this.tell(event);
      }
    }
  }

  private position(key: string): string {
    return this.positions.get(key) ?? '0-0';
  }

  private pause(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.surroundings.clock.after(PAUSE_MS, resolve);
      this.wakeFromPause = () => {
        cancel();
        resolve();
      };
      if (this.isStopped) this.wakeFromPause();
    });
  }
}

function eventOf(fields: readonly string[]): RunEvent | null {
  const at = (name: string): string | undefined => fields[fields.indexOf(name) + 1];
  const [runId, status] = [at('r'), statusOf(at('s'))];
  return runId && status ? { runId, status } : null;
}
