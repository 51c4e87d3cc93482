import { decodeEntry, type JournalEntry } from '../core/journal-entry.js';
import type { RunHead } from '../core/run-record.js';
import type { RunStore } from '../ports/run-store.js';

/** The record cannot be replayed: an entry is unreadable. The run is set aside with this reason. */
export interface UnreadableEntry {
  readonly journalNumber: number;
}

/** What is confirmed of a run, as it was when it was loaded. */
export class Journal {
  private readonly handedOver: number[] = [];

  constructor(
    private readonly entries: ReadonlyMap<number, JournalEntry>,
    /** Length of its stored values. */
    readonly bytes = 0,
  ) {
    for (const [journalNumber, entry] of entries) {
      if (entry.handover > 0) this.handedOver[entry.handover] = journalNumber;
    }
  }

  /** @throws StoreUnavailable */
  static async load(store: RunStore, head: RunHead): Promise<Journal | UnreadableEntry> {
    if (isFirstClaim(head)) return new Journal(new Map());
    const entries = new Map<number, JournalEntry>();
    let bytes = 0;
    for (let from: number | null = 0; from !== null; ) {
      const page = await store.readJournal({ runId: head.runId, from, journalEnd: head.journalEnd });
      for (const [journalNumber, value] of page.entries) {
        const entry = decodeEntry(value, journalNumber);
        if (entry === null) return { journalNumber };
        entries.set(journalNumber, entry);
        bytes += value.length;
      }
      from = page.next;
    }
    return new Journal(entries, bytes);
  }

  get(journalNumber: number): JournalEntry | undefined {
    return this.entries.get(journalNumber);
  }

  /** Journal number of the `handover`-th outcome; undefined past the last. */
  handedOverAt(handover: number): number | undefined {
    return this.handedOver[handover];
  }

  /** The first entry from `journalNumber` on, undefined when there is none. */
  firstFrom(journalNumber: number): { readonly journalNumber: number; readonly entry: JournalEntry } | undefined {
    let first: number | undefined;
    for (const at of this.entries.keys()) if (at >= journalNumber && (first === undefined || at < first)) first = at;
    return first === undefined ? undefined : { journalNumber: first, entry: this.entries.get(first) as JournalEntry };
  }

  [Symbol.iterator](): IterableIterator<[number, JournalEntry]> {
    return this.entries.entries();
  }
}

/** Nobody held the run before, and nothing was ever committed: it has no journal. */
function isFirstClaim({ token, revision }: RunHead): boolean {
  return revision === 0 && token !== null && token.startsWith('1.');
}
