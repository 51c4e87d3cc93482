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
    const reply = (await caller.script(call)) as readonly [number, ...Array<string | null>];
    return { entries: numbered(reply, from), next: reply[0] < 0 ? null : reply[0] };
  } catch (error) {
    if (isWrongType(error)) return { entries: [], next: null };
    throw error;
  }
}

/** @param reply where the next page begins, then one value a number, null where there is none */
function numbered(reply: readonly [number, ...Array<string | null>], from: number): Array<readonly [number, string]> {
  const entries: Array<readonly [number, string]> = [];
  for (let i = 1; i < reply.length; i += 1) {
    const value = reply[i];
    if (typeof value === 'string') entries.push([from + i - 1, value]);
  }
  return entries;
}
