import type { Bells, Inspector, Lane, LaneReader, RunStore, WorkerRegistry } from '@millrace/durable';

/** A storage as the suite uses it: the facade that every implementation has. */
export interface StorageUnderTest {
  readonly runs: RunStore;
  readonly inspector: Inspector;
  readonly registry: WorkerRegistry;
  readonly bells: Bells;
  lanes(lanes: readonly Lane[]): LaneReader;
  ping(): Promise<unknown>;
  close(): Promise<void>;
}

/** How a record is spoiled: it is no record at all, or a field that every record has is cut out. */
export type RecordFault = 'not-a-record' | 'field-missing';

/** One empty namespace with two clients, and what a test may do to it from outside. */
export interface Harness {
  readonly first: StorageUnderTest;
  readonly second: StorageUnderTest;
  /** Resolves when the server's time is at least `ms` later. */
  timePasses(ms: number): Promise<void>;
  breakRecord(runId: string, fault: RecordFault): Promise<void>;
  /** Remembers the namespace. The answered function puts it back: all writes since then are lost. */
  snapshot(): Promise<() => Promise<void>>;
  /** Throws or rejects when what the store holds contradicts itself; only where the implementation can look. */
  checkInvariants?(): void | Promise<void>;
  /** Closes the clients and whatever the harness opened itself. */
  close(): Promise<void>;
}

/** Opens a harness in a namespace that nobody used before. */
export type OpenHarness = () => Promise<Harness>;
