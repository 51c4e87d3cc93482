import type { Inspector, RunStore, WorkerRegistry } from '@millrace/durable';

/** What the API uses of a namespace's store. */
export interface ApiStorage {
  readonly runs: RunStore;
  readonly inspector: Inspector;
  readonly registry: WorkerRegistry;
  /** Resolves when a write works. @throws StoreUnavailable */
  ping(): Promise<unknown>;
  close(): Promise<void>;
}

/** Opens the store of a namespace. @throws ConfigurationError when it never can; anything else may be tried again */
export type OpenStorage = (namespace: string) => Promise<ApiStorage>;
