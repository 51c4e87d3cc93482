import type { Redis } from 'ioredis';
import { StoreUnavailable, type Clock } from '@millrace/durable';
import { answerWithin } from './connection/answer-within.js';
import { RedisCallError } from './connection/failures.js';
import type { RedisCaller } from './connection/redis-caller.js';

/** How long a connection is asked for its id, and a blocked read to end, ms. */
const ASK_LIMIT_MS = 2_000;
const UNBLOCK_LIMIT_MS = 500;
/** How often a read is told to end, and the pause between two times, ms. */
const UNBLOCK_TRIES = 10;
const UNBLOCK_PAUSE_MS = 20;

/** Ends blocking reads early, so that their answers, which may carry entries, still come. */
export class BlockedReads {
  /** A connection keeps its id, so it is asked once. */
  private readonly clientIds = new WeakMap<Redis, number>();

  constructor(
    private readonly caller: RedisCaller,
    private readonly clock: Clock,
  ) {}

  /** The name of a connection for {@link end}. To be asked before the read blocks it. @throws TimedOut */
  async clientId(client: Redis): Promise<number> {
    const known = this.clientIds.get(client);
    if (known !== undefined) return known;
    const clientId = await answerWithin(this.clock, ASK_LIMIT_MS, client.client('ID'));
    this.clientIds.set(client, clientId);
    return clientId;
  }

  /**
   * False when nobody would end the read: its connection is to be destroyed. A client that is not blocked has been answered,
   * or its read has not arrived yet: it is told again until `isOver`.
   */
  async end(read: Readonly<{ partition: number; clientId: number; isOver: () => boolean }>): Promise<boolean> {
    try {
      for (let tries = 0; tries < UNBLOCK_TRIES; tries += 1) {
        const wasBlocked = await this.caller.command(read.partition, ['CLIENT', 'UNBLOCK', read.clientId], UNBLOCK_LIMIT_MS);
        if (wasBlocked === 1 || read.isOver()) return true;
        await new Promise<void>((resolve) => void this.clock.after(UNBLOCK_PAUSE_MS, resolve));
        if (read.isOver()) return true;
      }
    } catch (error) {
      // An entry that the read took is delivered again later.
      if (!(error instanceof StoreUnavailable || error instanceof RedisCallError)) throw error;
    }
    return read.isOver();
  }
}
