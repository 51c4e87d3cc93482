import type { RunHead } from '../core/run-record.js';
import type { RunStatus } from '../core/run-status.js';
import type { JournalPage } from './run-store.js';

/** A run as lists show it: never its input, output or error. */
export type RunRow = Pick<RunHead, 'runId' | 'status' | 'lane' | 'createdAt' | 'startedAt' | 'endedAt' | 'wakeAt' | 'revision' | 'cancel'>;
/** A listed run whose record cannot be read is shown as broken, with the reason, and hides nothing else. */
export type ListedRun = RunRow | { readonly runId: string; readonly broken: string };

export interface ListQuery {
  readonly workflow?: string;
  readonly status?: RunStatus;
  /** Bounds on `createdAt`, ms: from inclusive, to exclusive. */
  readonly from?: number;
  readonly to?: number;
  /** 1–200. */
  readonly limit: number;
  /** As answered by the page before. A cursor that was not made by `list` throws `InvalidInput`. */
  readonly cursor?: string;
}

export interface RunEvent {
  readonly runId: string;
  readonly status: RunStatus;
}

/** What of a run is read: everything; or, for who waits for its end, everything if it is terminal and else all but the input. */
export type ReadPayloads = 'all' | 'all-of-terminal';

/** An open {@link Inspector.watch}. */
export interface RunFeed {
  /**
   * The changes of this run are told from now on: what a read finds that begins after this call precedes them. The returned
   * function ends it; idempotent. Absent: every run is told of.
   */
  follow?(runId: string): () => void;
  close(): Promise<void>;
}

/** The read path, for the API and operators. Workers never use it. Nothing here changes a record. */
export interface Inspector {
  /**
   * The head with input, output (references resolved to the payload) and error; null when there is no such run. An input that
   * is left out is an empty text.
   * @param payloads @defaultValue 'all'
   */
  getRun(runId: string, payloads?: ReadPayloads): Promise<RunHead | null>;
  /** Status, revision and lease of a run without its payloads: one small read, for polling. */
  getProgress(runId: string): Promise<Pick<RunHead, 'status' | 'revision' | 'cancel' | 'journalEnd' | 'createdAt'> | null>;
  /** Lease of the claim on a run: when it lapses (Redis time, ms), null when nobody holds it. */
  getLease(runId: string): Promise<number | null>;
  /** Journal values, paged; the caller decodes. */
  readJournal(request: Readonly<{ runId: string; from: number; journalEnd: number; limit?: number }>): Promise<JournalPage>;
  /** Past attempts of steps, per number the values that exist of its fields `<number>!1` … `<number>!10`, in no order. */
  readPastAttempts(runId: string, numbers: readonly number[]): Promise<string[][]>;
  /** Newest first. A page may hold fewer rows than `limit` and still have a next cursor (bounded scan). */
  list(query: ListQuery): Promise<{ readonly runs: ListedRun[]; readonly cursor: string | null }>;
  /** Exact counters from the indexes: `active` is queued or running. */
  counts(): Promise<
    Array<{ workflow: string; status: 'active' | 'waiting' | 'completed' | 'failed' | 'cancelled' | 'set-aside'; count: number }>
  >;
  /** Activations waiting in a lane (undelivered), added over the partitions. */
  laneDepth(lane: string): Promise<number>;
  /**
   * Calls back on status changes of any run of the namespace, until closed. A convenience: events may be missed around
   * reconnections; whoever waits for something also reads the record from time to time. `followed`: changes of the runs
   * that are followed must be told, those of others need not.
   */
  watch(onEvent: (event: RunEvent) => void, of?: 'any' | 'followed'): Promise<RunFeed>;
}
