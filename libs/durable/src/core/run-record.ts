import type { Lane } from './lane.js';
import type { RunStatus } from './run-status.js';

/** A run's current activation: the lane entry that may claim it. The random bits tell it from a copy and from a reused stream id. */
export interface Activation {
  readonly entryId: string;
  readonly bits: string;
}

/** A durable request of an operator or client to cancel the run. */
export interface CancelRequest {
  readonly requestId: string;
  /** Redis time, ms since the epoch. */
  readonly at: number;
  readonly reason: string;
}

/**
 * The head of a run record: everything but the journal. Instants are Redis time in ms since the epoch.
 * Payloads (`input`, `output`, `error`) are texts of the codec; the store never looks inside.
 */
export interface RunHead {
  readonly runId: string;
  readonly status: RunStatus;
  readonly lane: Lane;
  /** Digest of what was submitted: equal digests are the same request. */
  readonly digest: string;
  readonly input: string;
  readonly output: string | null;
  readonly error: string | null;
  /** The token of the current claim, null while nobody holds the run. */
  readonly token: string | null;
  /** The token of the last commit: with the revision it names one history (parked journals are cached under it). */
  readonly lastToken: string | null;
  readonly revision: number;
  /** `<n>.<request id>`; compared as a whole, never as a number. */
  readonly inbox: string;
  readonly activation: Activation | null;
  /** Incarnation that holds, or last held, the run. */
  readonly owner: string | null;
  /** When the earliest timer of a waiting run is due. */
  readonly wakeAt: number | null;
  /** Claims in a row that died without having opened an attempt. */
  readonly deadClaims: number;
  readonly cancel: CancelRequest | null;
  /** Journal numbers below this may have holes: a wait was written while steps before it were still unopened. */
  readonly journalEnd: number;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
}
