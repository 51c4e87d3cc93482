import { asError, type Clock, ConfigurationError, type EventSink, StoreUnavailable } from '@millrace/durable';
import type { ApiStorage, OpenStorage } from './api-storage.js';

interface StorageSlotDeps {
  readonly namespace: string;
  readonly open: OpenStorage;
  readonly clock: Clock;
  readonly emit: EventSink;
  /** The store can never be opened with these settings. */
  readonly onFatal: (error: ConfigurationError) => void;
}

/** How long after a failure the next try begins. */
const RETRY_MS = 1_000;

/** A namespace's store that may not be there yet: opened in the background, again and again, so that the API starts without Redis. */
export class StorageSlot {
  private storage: ApiStorage | undefined;
  private opening: Promise<void> | undefined;
  private cancelRetry: (() => void) | undefined;
  private isClosed = false;
  private isFailing = false;

  constructor(private readonly deps: StorageSlotDeps) {}

  /** Begins to open. Resolves after the first try, whatever came of it. */
  start(): Promise<void> {
    this.opening ??= this.tryOpen();
    return this.opening;
  }

  /** @throws StoreUnavailable while it is not open */
  get(): ApiStorage {
    if (this.storage === undefined) throw new StoreUnavailable('open');
    return this.storage;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.cancelRetry?.();
    await this.storage?.close();
  }

  private async tryOpen(): Promise<void> {
    try {
      const storage = await this.deps.open(this.deps.namespace);
      if (this.isClosed) await storage.close();
      else this.opened(storage);
    } catch (error) {
      this.failed(error);
    }
  }

  private opened(storage: ApiStorage): void {
    this.storage = storage;
    if (this.isFailing) this.deps.emit({ type: 'loop.recovered', loop: this.loop });
  }

  private failed(thrown: unknown): void {
    if (this.isClosed) return;
    if (thrown instanceof ConfigurationError) {
      this.deps.onFatal(thrown);
      return;
    }
    const error = asError(thrown);
    if (!this.isFailing) this.deps.emit({ type: 'loop.failed', loop: this.loop, error, retryInMs: RETRY_MS });
    this.isFailing = true;
    this.cancelRetry = this.deps.clock.after(RETRY_MS, () => {
      this.opening = this.tryOpen();
    });
  }

  private get loop(): string {
    return `open namespace ${this.deps.namespace}`;
  }
}
