import type { JournalPage } from '@millrace/durable';
import type { MemoryRecord } from './memory-record.js';

/** Bounds of a page: what one answer of the store holds. */
const PAGE_FIELDS = 1_000;
const PAGE_BYTES = 1024 * 1024;

/** Where a page of the journal begins and how far it may have holes. */
export interface JournalRange {
  readonly from: number;
  readonly journalEnd: number;
  /** @defaultValue 1_000, which is also the most */
  readonly limit?: number;
}

/** One page. The journal ends with the first number at or above `journalEnd` that has no entry. */
export function readJournal(record: MemoryRecord | null, { from, journalEnd, limit = PAGE_FIELDS }: JournalRange): JournalPage {
  const entries: Array<readonly [number, string]> = [];
  const end = from + Math.min(limit, PAGE_FIELDS);
  let bytes = 0;
  for (let number = from; number < end; number += 1) {
    const value = record?.journal.get(number.toString(36));
    if (value === undefined && number >= journalEnd) {
      return { entries, next: null };
    }
    if (value !== undefined) {
      entries.push([number, value]);
      bytes += Buffer.byteLength(value);
    }
    if (bytes >= PAGE_BYTES) {
      return { entries, next: number + 1 };
    }
  }
  return { entries, next: end };
}
