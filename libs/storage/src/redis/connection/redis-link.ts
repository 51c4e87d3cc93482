import { Redis } from 'ioredis';
import type { Clock, Randomness } from '@millrace/durable';
import type { ClientOptions } from './client-options.js';
import { ConnectionClosedByUs, failureOf, TimedOut } from './failures.js';

/** What a link is made of. */
export interface RedisLinkOptions {
  /** Shown in errors: address or role. */
  readonly name: string;
  readonly client: ClientOptions;
  readonly clock: Clock;
  readonly random: Randomness;
  /** Called with every client that became ready, before anybody else gets it. */
  readonly onReady?: (client: Redis) => void;
}

interface Waiter {
  resolve(client: Redis): void;
  reject(error: Error): void;
}

const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 1_000;

/**
 * One connection to one server that comes back: at any time it has at most one client of the library. A client that failed
 * is destroyed and never used again; the next one is a new socket. Commands under way on a destroyed client are rejected.
 */
export class RedisLink {
  /** Why the last try to connect failed; null after a success. */
  lastError: Error | null = null;
  private client: Redis | null = null;
  private isClosed = false;
  private failuresInRow = 0;
  private cancelPause: (() => void) | null = null;
  private readonly waiters = new Set<Waiter>();

  constructor(private readonly options: RedisLinkOptions) {
    this.open();
  }

  get name(): string {
    return this.options.name;
  }

  /** The client that takes commands now; null while there is none. */
  get current(): Redis | null {
    return this.client?.status === 'ready' ? this.client : null;
  }

  /** A client that takes commands. @throws ConnectionClosedByUs; TimedOut with the reason as its cause */
  async ready(limitMs: number): Promise<Redis> {
    if (this.isClosed) throw new ConnectionClosedByUs(`the connection to ${this.name} is closed`);
    if (this.current !== null) return this.current;
    return new Promise((resolve, reject) => {
      const cancel = this.options.clock.after(limitMs, () => waiter.reject(this.notConnected(limitMs)));
      const leave = (): void => {
        cancel();
        this.waiters.delete(waiter);
      };
      const waiter: Waiter = {
        resolve: (ready) => (leave(), resolve(ready)),
        reject: (error) => (leave(), reject(error)),
      };
      this.waiters.add(waiter);
    });
  }

  /** Destroys a client whose answer did not come, and makes a new one; one that was replaced before was destroyed then. */
  discard(client: Redis): void {
    if (this.client !== client) return;
    destroy(client);
    this.reopen();
  }

  /** Destroys the connection at once. */
  close(): void {
    this.isClosed = true;
    this.cancelPause?.();
    if (this.client !== null) destroy(this.client);
    this.client = null;
    const error = new ConnectionClosedByUs(`the connection to ${this.name} is closed`);
    for (const waiter of this.waiters) waiter.reject(error);
  }

  private open(): void {
    this.cancelPause = null;
    const client = new Redis(this.options.client);
    this.client = client;
    client.on('error', (error: unknown) => {
      if (this.client === client) this.lastError = failureOf(error).error;
    });
    client.on('ready', () => this.becameReady(client));
    client.on('end', () => {
      if (this.client === client) this.reopen();
    });
  }

  private becameReady(client: Redis): void {
    if (this.client !== client || client.status !== 'ready') return;
    this.failuresInRow = 0;
    this.lastError = null;
    this.options.onReady?.(client);
    for (const waiter of this.waiters) waiter.resolve(client);
  }

  private reopen(): void {
    this.client = null;
    if (this.isClosed || this.cancelPause !== null) return;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** this.failuresInRow, LONGEST_PAUSE_MS) * (0.5 + this.options.random.fraction() / 2);
    this.failuresInRow += 1;
    this.cancelPause = this.options.clock.after(pauseMs, () => this.open());
  }

  private notConnected(limitMs: number): TimedOut {
    const reason = this.lastError === null ? '' : `: ${this.lastError.message}`;
    return new TimedOut(`no connection to ${this.name} in ${Math.round(limitMs)} ms${reason}`);
  }
}

function destroy(client: Redis): void {
  client.disconnect();
  // disconnect() says goodbye first, which a server that hangs never answers.
  client.stream?.destroy();
}
