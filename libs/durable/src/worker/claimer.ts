import { asError } from '../core/as-error.js';
import type { EventSink } from '../core/events.js';
import type { Clock, Randomness } from '../ports/clock.js';
import type { ClaimAnswer, ClaimRequest, DeliveredActivation, RunStore } from '../ports/run-store.js';
import type { HeldRuns } from './held-runs.js';
import { Outage } from './outage.js';
import type { Room } from './room.js';
import { LEASE_MARGIN_MS, type ResolvedWorkerOptions } from './worker-options.js';

/** Entries claimed in one call: the heads, with their inputs, come back in one answer. */
const CLAIM_BATCH = 50;

export interface ClaimerParams {
  readonly store: Pick<RunStore, 'claim' | 'commit'>;
  readonly owner: string;
  readonly held: HeldRuns;
  readonly room: Room;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly emit: EventSink;
  readonly options: Pick<ResolvedWorkerOptions, 'leaseMs' | 'activationBudget'>;
  /** Error payload for a run that a claim finds over its activation budget. */
  readonly setAsideError: string;
  readonly onServerTime: (now: number, receivedAt: number) => void;
}

type Claimed = Extract<ClaimAnswer, { kind: 'claimed' }>;

/** Turns delivered entries into claims, and claims into executions. */
export class Claimer {
  private readonly outage: Outage;
  private readonly closing = new AbortController();

  constructor(private readonly params: ClaimerParams) {
    this.outage = new Outage({ loop: 'claim', clock: params.clock, random: params.random, emit: params.emit });
  }

  /**
   * Claims the entries and begins to advance the runs. An entry that is stale or claimed by somebody else is left alone.
   * @throws StoreUnavailable when it was not answered while the claims could still be of use; the entries are delivered
   * again to somebody after their idle time
   */
  async claim(entries: readonly DeliveredActivation[]): Promise<void> {
    // For all of them at once: the caller counted them against the room there is now, and other loops claim meanwhile.
    const batches = batchesOf(entries).map((batch) => ({ batch, giveBack: this.params.room.reserve(batch.length) }));
    try {
      for (const { batch, giveBack } of batches) {
        const { claimed, sentAt } = await this.ask(batch);
        this.params.held.adoptAll(
          claimed.map(({ head }) => head),
          sentAt,
        );
        giveBack();
      }
    } finally {
      for (const { giveBack } of batches) giveBack();
    }
  }

  /**
   * Entries that were delivered and will not be started here: claims them and hands them back at once, so that they do
   * not wait for their idle time.
   */
  async handBack(entries: readonly DeliveredActivation[]): Promise<void> {
    for (const batch of batchesOf(entries)) {
      const { claimed } = await this.ask(batch);
      if (claimed.length > 0) await this.params.store.commit(claimed.map(({ head }) => this.release(head)));
    }
  }

  /** Unanswered claims are not repeated any more. */
  close(): void {
    this.closing.abort();
  }

  /**
   * An unanswered claim may have been applied, and then nobody would drive the run until its lease lapsed. So the same
   * requests (same token bits) are repeated: the store answers a repetition as it answered the first.
   */
  private async ask(batch: readonly DeliveredActivation[]): Promise<{ claimed: Claimed[]; sentAt: number }> {
    const { store, clock, options, onServerTime } = this.params;
    const requests = batch.map((entry) => this.request(entry));
    const sentAt = clock.monotonic();
    const uselessAt = sentAt + options.leaseMs - LEASE_MARGIN_MS;
    for (;;) {
      try {
        const answers = await store.claim(requests);
        this.outage.succeeded();
        const claimed = answers.filter((answer): answer is Claimed => answer.kind === 'claimed');
        for (const { now } of claimed) onServerTime(now, clock.monotonic());
        return { claimed, sentAt };
      } catch (thrown) {
        const retryInMs = this.outage.failed(thrown);
        if (this.closing.signal.aborted || clock.monotonic() + retryInMs >= uselessAt) throw asError(thrown);
        await pause(clock, retryInMs, this.closing.signal);
      }
    }
  }

  private request(entry: DeliveredActivation): ClaimRequest {
    const { random, owner, options, setAsideError } = this.params;
    const { leaseMs, activationBudget } = options;
    const { runId, lane, entryId, bits } = entry;
    return { runId, lane, entryId, bits, tokenBits: random.bits64(), owner, leaseMs, activationBudget, setAsideError };
  }

  private release({ runId, token, revision }: Claimed['head']) {
    const bits = this.params.random.bits64();
    return { runId, token, revision, writes: [], opens: false, then: { kind: 'release', bits } } as const;
  }
}

function batchesOf<Entry>(entries: readonly Entry[]): Entry[][] {
  return Array.from({ length: Math.ceil(entries.length / CLAIM_BATCH) }, (_, i) => entries.slice(i * CLAIM_BATCH, (i + 1) * CLAIM_BATCH));
}

/** Resolves after `ms`, or when the signal aborts. */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.after(ms, end);
    signal.addEventListener('abort', end);
  });
}
