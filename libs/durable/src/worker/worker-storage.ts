import type { Lane } from '../core/lane.js';
import type { Codec, ErrorCodec } from '../ports/codec.js';
import type { WorkerRegistry } from '../ports/registry.js';
import type { Bells, LaneReader, RunStore } from '../ports/run-store.js';
import type { HeartbeatsFactory } from './heartbeats.js';

/** A record that a sweep found at odds with its entries, and what was done about it. */
export interface RecordRepair {
  readonly runId: string;
  readonly fault: string;
  readonly repair: string;
}

/** What a worker needs of a storage. */
export interface WorkerStorage {
  readonly runs: RunStore;
  readonly registry: WorkerRegistry;
  readonly bells: Bells;
  lanes(lanes: readonly Lane[]): LaneReader;
  /** Heartbeats with means of their own (a thread with a connection). Without it the worker beats from its main loop. */
  readonly heartbeats?: HeartbeatsFactory;
  /** Looks at a bounded number of records, a further part each time, and mends what disagrees with them. */
  sweepRecords?(): Promise<readonly RecordRepair[]>;
}

/** How user values become stored texts. */
export type WorkerCodec = Codec & ErrorCodec;
