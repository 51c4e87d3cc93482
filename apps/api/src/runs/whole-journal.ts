import { decodeEntry, type Inspector, type JournalEntry } from '@millrace/durable';

/** Where a reading of a journal begins and how far it may have holes. */
export interface JournalRange {
  readonly runId: string;
  readonly from: number;
  readonly journalEnd: number;
}

/** Every entry from a number on, page by page; null for one that cannot be read. */
export async function* wholeJournal(
  inspector: Pick<Inspector, 'readJournal'>,
  range: JournalRange,
): AsyncGenerator<readonly [number: number, entry: JournalEntry | null]> {
  for (let from: number | null = range.from; from !== null; ) {
    const page: Awaited<ReturnType<Inspector['readJournal']>> = await inspector.readJournal({ ...range, from });
    for (const [number, value] of page.entries) yield [number, decodeEntry(value, number)];
    from = page.next;
  }
}
