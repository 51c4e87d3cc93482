import type { Inspector, JournalEntry } from '@millrace/durable';
import { wholeJournal } from '../whole-journal.js';

/** Outcomes that one commit wrote. */
export interface CommittedOutcomes {
  readonly revision: number;
  /** In the order in which they were handed to the body. */
  readonly outcomes: ReadonlyArray<readonly [number: number, entry: JournalEntry]>;
}

/**
 * Reads the outcomes of a run by the revision that wrote them. It remembers the first entry that has no outcome yet, so following
 * a long sequence reads each entry about once.
 */
export class OutcomeReader {
  private from = 0;

  constructor(
    private readonly inspector: Pick<Inspector, 'readJournal'>,
    private readonly runId: string,
  ) {}

  /** Begins anew at the first entry: the record went back. */
  rewind(): void {
    this.from = 0;
  }

  /**
   * The outcomes with `after` < revision ≤ `upTo`, by revision. `upTo` is a revision that was read before: what is newer may be
   * there in part only, and is left for the next call.
   */
  async read(after: number, upTo: number, journalEnd: number): Promise<CommittedOutcomes[]> {
    const found = new Map<number, Array<readonly [number, JournalEntry]>>();
    let expected = this.from;
    let firstUnsettled: number | undefined;
    for await (const [number, entry] of wholeJournal(this.inspector, { runId: this.runId, from: this.from, journalEnd })) {
      if (number > expected) firstUnsettled ??= expected;
      expected = number + 1;
      if (!isSettled(entry, upTo)) firstUnsettled ??= number;
      if (entry !== null && entry.revision > after && entry.revision <= upTo)
        found.set(entry.revision, [...(found.get(entry.revision) ?? []), [number, entry]]);
    }
    this.from = firstUnsettled ?? expected;
    return [...found].sort(([a], [b]) => a - b).map(([revision, outcomes]) => ({ revision, outcomes: outcomes.sort(byHandover) }));
  }
}

/** An entry that will not change any more in a way that this reader would have to tell. */
function isSettled(entry: JournalEntry | null, upTo: number): boolean {
  return entry === null || entry.state === 'abandoned' || (entry.revision > 0 && entry.revision <= upTo);
}

function byHandover([, a]: readonly [number, JournalEntry], [, b]: readonly [number, JournalEntry]): number {
  return a.handover - b.handover;
}
