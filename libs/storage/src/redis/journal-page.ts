import type { JournalPage } from '@millrace/durable';
import { isWrongType } from './connection/failures.js';
import type { RedisCaller } from './connection/redis-caller.js';
import type { StoreKeys } from './keys.js';
import { scripts } from './scripts.generated.js';

/** Most journal numbers and bytes in one page. */
const PAGE_NUMBERS = 1_000;
const PAGE_BYTES = 1024 * 1024;

/** One page of a run's journal: at most 1,000 numbers and about 1 MiB, but at least one value. An unreadable record has none. */
export async function journalPage(
  caller: RedisCaller,
  keys: StoreKeys,
  request: Readonly<{ runId: string; from: number; journalEnd: number; limit?: number }>,
): Promise<JournalPage> {
  const { runId, from, journalEnd, limit = PAGE_NUMBERS } = request;
  const args = [from, journalEnd, Math.min(limit, PAGE_NUMBERS), PAGE_BYTES];
  const call = { name: 'readJournal', script: scripts.readJournal, partition: keys.partitionOf(runId), keys: [keys.run(runId)], args };
  try {
    const [next, ...flat] = (await caller.script(call)) as [number, ...Array<number | string>];
    return { entries: pairs(flat), next: next < 0 ? null : next };
  } catch (error) {
    if (isWrongType(error)) return { entries: [], next: null };
    throw error;
  }
}

function pairs(flat: ReadonlyArray<number | string>): Array<readonly [number, string]> {
  return Array.from({ length: flat.length / 2 }, (_, i) => [Number(flat[2 * i]), String(flat[2 * i + 1])] as const);
}
