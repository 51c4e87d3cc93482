import { setImmediate as nextTurn } from 'node:timers/promises';
import { decodeEntry, type JournalEntry } from '../core/journal-entry.js';
import type { RunHead } from '../core/run-record.js';
import type { JournalPage, RunStore } from '../ports/run-store.js';

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
    const read = (from: number) => store.readJournal({ runId: head.runId, from, journalEnd: head.journalEnd });
    const decoded = new DecodedEntries();
    let page = await read(0);
    while (page.next !== null) {
      const { entries } = page;
      // The next page is on its way while this one is decoded: what was asked of the store has left after this turn.
      const [following] = await Promise.all([read(page.next), nextTurn().then(() => decoded.add(entries))]);
      if (decoded.unreadable !== null) return decoded.unreadable;
      page = following;
    }
    decoded.add(page.entries);
    return decoded.unreadable ?? new Journal(decoded.entries, decoded.bytes);
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

/** The entries of the pages so far. */
class DecodedEntries {
  readonly entries = new Map<number, JournalEntry>();
  bytes = 0;
  /** The first that is none; nothing is added after it. */
  unreadable: UnreadableEntry | null = null;

  add(page: JournalPage['entries']): void {
    for (const [journalNumber, value] of page) {
      const entry = decodeEntry(value, journalNumber);
      if (entry === null) {
        this.unreadable = { journalNumber };
        return;
      }
      this.entries.set(journalNumber, entry);
      this.bytes += value.length;
    }
  }
}

/** Nobody held the run before, and nothing was ever committed: it has no journal. */
function isFirstClaim({ token, revision }: RunHead): boolean {
  return revision === 0 && token !== null && token.startsWith('1.');
}
