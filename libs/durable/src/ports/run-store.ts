import type { Lane } from '../core/lane.js';
import type { Activation, CancelRequest, RunHead } from '../core/run-record.js';

/**
 * The write path: what clients and workers do to run records. Every method is one atomic script per run, safe to repeat
 * after a lost answer, and answers a repetition as it answered the first call. Ambiguity never reaches the caller: the
 * store repeats an unanswered call itself, on a new connection after the old one is destroyed, until it is answered or
 * its time is up; then it throws `StoreUnavailable` (the call may or may not have been applied).
 *
 * A method that takes a list treats its members one by one: a fenced, missing or broken member concerns itself alone.
 * Answers come in the order of the request. Nothing here knows workflows or user code.
 */
export interface RunStore {
  submit(requests: readonly SubmitRequest[]): Promise<SubmitAnswer[]>;
  claim(requests: readonly ClaimRequest[]): Promise<ClaimAnswer[]>;
  /** Replaces the caller's token by a new one: a token belongs to one history. The caller reloads after it. */
  renew(request: Readonly<{ runId: string; token: string; newToken: string; leaseMs: number }>): Promise<RunHead | 'lost'>;
  /** One page of the journal, at most about 1,000 fields or 1 MiB. Not fenced: the next commit's compare-and-set is the proof. */
  readJournal(request: Readonly<{ runId: string; from: number; journalEnd: number }>): Promise<JournalPage>;
  /** What others wrote for the owner, read under its token. */
  look(request: Readonly<{ runId: string; token: string }>): Promise<InboxView | 'lost'>;
  commit(commits: readonly Commit[]): Promise<CommitAnswer[]>;
  /** Moves the leases of the claims that still hold their token, in as few calls as the topology allows. */
  heartbeat(request: Readonly<{ claims: readonly HeldClaim[]; leaseMs: number }>): Promise<HeartbeatAnswer>;
  cancel(request: Readonly<{ runId: string; requestId: string; reason: string }>): Promise<CancelAnswer>;
  /**
   * Buries lapsed claims and wakes due runs, at most `limit` of each a partition, each re-checked in its script. One
   * command on an idle namespace of one server. The answered activations are in their lanes already; the caller may
   * claim those it serves at once.
   */
  pump(request: Readonly<{ limit: number; activationBudget: number; setAsideError: string }>): Promise<PumpAnswer>;
  /** Buries every claim of an incarnation that is proven dead, of the given lanes only, whatever its lease says. */
  takeBack(
    request: Readonly<{
      owner: string;
      lanes: readonly Lane[];
      activationBudget: number;
      setAsideError: string;
    }>,
  ): Promise<DeliveredActivation[]>;
  /** Redis time now, ms since the epoch. */
  now(): Promise<number>;
}

export interface SubmitRequest {
  readonly runId: string;
  readonly lane: Lane;
  readonly input: string;
  readonly digest: string;
  /** 64 random bits chosen before the first try; also the bits of the first activation. */
  readonly requestId: string;
}
/** `created`: this call (or its own repetition) made the run. `existing`: it was there; the caller compares digests. */
export interface SubmitAnswer {
  readonly outcome: 'created' | 'existing';
  readonly run: Pick<RunHead, 'runId' | 'status' | 'digest' | 'createdAt' | 'startedAt' | 'endedAt' | 'lane' | 'revision'>;
}

/** An activation that a lane delivered or a take-over made. */
export interface DeliveredActivation extends Activation {
  readonly runId: string;
  readonly lane: Lane;
}
export interface ClaimRequest extends DeliveredActivation {
  /** Random part of the new token; the store prefixes the epoch. 64 bits, base64url. */
  readonly tokenBits: string;
  /** Incarnation of the claimant. */
  readonly owner: string;
  readonly leaseMs: number;
  readonly activationBudget: number;
  /** Error payload for a run that this claim finds over its activation budget. */
  readonly setAsideError: string;
}
/**
 * `dropped`: the entry is stale (acknowledged, deleted), or the run is gone, closed or was set aside just now.
 * `busy`: a live claim under another token; nothing changed.
 */
export type ClaimAnswer =
  | { readonly kind: 'claimed'; readonly head: RunHead & { readonly token: string }; readonly now: number }
  | { readonly kind: 'dropped' }
  | { readonly kind: 'busy' };

export interface JournalPage {
  /** Field values by journal number, only those that exist. */
  readonly entries: ReadonlyArray<readonly [number: number, value: string]>;
  /** Where the next page begins, null after the last. */
  readonly next: number | null;
}

export interface InboxView {
  readonly inbox: string;
  readonly cancel: CancelRequest | null;
}

/**
 * One atomic change of the record by its owner: applied only when `token` is the record's and `revision` is the one
 * before. In a sequence of steps (`then: continue`) it touches one key with one writing command.
 */
export interface Commit {
  readonly runId: string;
  readonly token: string;
  /** The record's revision before this commit. */
  readonly revision: number;
  /** Journal fields to set: `[journal number in base 36, or '<number>!<1–10>' for a past attempt, value]`. */
  readonly writes: ReadonlyArray<readonly [field: string, value: string]>;
  /** True when it opens an attempt: refused with `look`, nothing written, while a control request is there. */
  readonly opens: boolean;
  /** Attempts open under this token after the commit, only when that number became zero or ceased to be zero. */
  readonly openAttempts?: number | undefined;
  /** New value of the head's `journalEnd`, only when it changes. */
  readonly journalEnd?: number | undefined;
  readonly then: CommitThen;
}
export type CommitThen =
  | { readonly kind: 'continue' }
  /** Releases the claim; refused with `look` when the inbox counter is not `inbox`. A due `wakeAt` fires at the next pump. */
  | { readonly kind: 'park'; readonly inbox: string; readonly wakeAt: number | null }
  /** Hands the claim back: the run is queued again at once. */
  | { readonly kind: 'release'; readonly bits: string }
  /** Ends the run. `output` and `error` are payloads, or `{ ref }`: the journal number of a confirmed result with equal bytes. */
  | {
      readonly kind: 'end';
      readonly status: 'completed' | 'failed' | 'cancelled' | 'set-aside';
      readonly output?: string | { readonly ref: number };
      readonly error?: string;
    };
/**
 * `ok`: applied, now or by an earlier try. `look`: refused, nothing written: look at the inbox and send again.
 * `stale`: the token is the record's but the revision is not there (writes were lost): renew, then reload.
 * `lost`: the claim is not the caller's any more, or an unanswered park/end/release was applied: drop the run.
 */
export type CommitAnswer = 'ok' | 'look' | 'stale' | 'lost';

export interface HeldClaim {
  readonly runId: string;
  readonly token: string;
  /** The inbox counter that the owner last looked at. */
  readonly inbox: string;
}
export interface HeartbeatAnswer {
  readonly now: number;
  /** Claims whose token is not the record's any more. */
  readonly lost: readonly string[];
  /** Runs whose inbox counter moved. */
  readonly moved: readonly string[];
}

/**
 * `cancelled`: nobody held the run, it has ended. `cancelling`: the request is durable and its owner was rung.
 * `closed`: the run had ended before. `missing`: there is no such run.
 */
export type CancelAnswer = 'cancelled' | 'cancelling' | 'closed' | 'missing';

export interface PumpAnswer {
  readonly now: number;
  /** Runs that became ready by this call. */
  readonly activations: readonly DeliveredActivation[];
  readonly buried: number;
  readonly fired: number;
  readonly setAside: readonly string[];
  /** The earliest timer that is not due yet, null when there is none. */
  readonly nextWakeAt: number | null;
}

/** Delivers activations of the lanes that a worker serves. Owned by one loop; not for concurrent use. */
export interface LaneReader {
  /** Takes at most `max` entries without waiting, from all lanes in turn. */
  read(max: number): Promise<DeliveredActivation[]>;
  /**
   * Waits until a lane has an entry, at most `timeoutMs`, and takes it. May answer a few entries more than one: one a
   * stream, or several as far as that keeps within `max`. Resolves with an empty list on time-out and when `signal` aborts.
   */
  wait(timeoutMs: number, signal: AbortSignal, max?: number): Promise<DeliveredActivation[]>;
  /**
   * The last answer of `wait` had space for more than came: another wait will do, and finds what there is by then.
   * @defaultValue false: what came may be a part
   */
  readonly isDrained?: boolean;
  /** Entries that were delivered `idleMs` ago or earlier and not claimed: delivered again, to the caller. */
  reclaim(idleMs: number, max: number): Promise<DeliveredActivation[]>;
  close(): Promise<void>;
}

/** Rings a worker when somebody wrote to the inbox of a run it holds. Bells may be lost: the heartbeat is the safety net. */
export interface Bells {
  listen(owner: string, onBell: (runId: string) => void): Promise<{ close(): Promise<void> }>;
}
