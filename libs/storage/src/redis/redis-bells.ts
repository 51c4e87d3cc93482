import type { Redis } from 'ioredis';
import { StoreUnavailable, type Bells } from '@millrace/durable';
import { failureOf } from './connection/failures.js';
import type { RedisLink } from './connection/redis-link.js';
import type { Topology } from './connection/topology.js';
import type { StoreKeys } from './keys.js';

const CONNECT_LIMIT_MS = 4_000;

/** Bells over PUBLISH: one subscriber connection a listener, subscribed again on every new connection. */
export class RedisBells implements Bells {
  private readonly links = new Set<RedisLink>();

  constructor(
    private readonly topology: Topology,
    private readonly keys: StoreKeys,
  ) {}

  /** Answers once the subscription is there. @throws StoreUnavailable */
  async listen(owner: string, onBell: (runId: string) => void): Promise<{ close(): Promise<void> }> {
    const channel = `${this.keys.bellPrefix}${owner}`;
    let tellFirst!: (outcome: Error | null) => void;
    const first = new Promise<Error | null>((resolve) => {
      tellFirst = resolve;
    });
    const subscribe = (client: Redis): void => {
      client.on('message', (_channel: string, runId: string) => onBell(runId));
      client.subscribe(channel).then(
        () => tellFirst(null),
        // A connection that ends before it is subscribed is replaced, and the next one subscribes.
        (error: unknown) => tellFirst(failureOf(error).error),
      );
    };
    let link: RedisLink | undefined;
    try {
      link = await this.topology.openSubscriber(subscribe, CONNECT_LIMIT_MS);
      this.links.add(link);
      await link.ready(CONNECT_LIMIT_MS);
      const failure = await first;
      if (failure !== null) throw failure;
    } catch (error) {
      if (link !== undefined) this.release(link);
      throw new StoreUnavailable('listen', { cause: failureOf(error).error });
    }
    const opened = link;
    return { close: () => Promise.resolve(this.release(opened)) };
  }

  /** Ends every subscription. */
  close(): void {
    for (const link of this.links) this.release(link);
  }

  private release(link: RedisLink): void {
    this.links.delete(link);
    link.close();
  }
}
