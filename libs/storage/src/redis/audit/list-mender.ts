import type { RedisCaller } from '../connection/redis-caller.js';
import type { StoreKeys } from '../keys.js';
import { scripts } from '../scripts.generated.js';
import type { MendMode } from './run-mender.js';

/** An entry of a lane; one that lost its fields has null. */
type StreamEntry = readonly [id: string, fields: readonly string[] | null];

const PAGE = 200;

/** Looks at what lies in lists and lanes: does the record that it names exist, and does it agree? */
export class ListMender {
  constructor(
    private readonly caller: RedisCaller,
    private readonly keys: StoreKeys,
  ) {}

  /** Calls back with each member of a list that has no record, or one of another workflow than the index is for. */
  async membersOf(
    key: string,
    at: Readonly<{ partition: number; workflow: string }>,
    mode: MendMode,
    onOrphan: (runId: string) => void,
  ): Promise<void> {
    let cursor = '0';
    do {
      const [next, flat] = (await this.caller.command(at.partition, ['ZSCAN', key, cursor, 'COUNT', PAGE])) as [string, string[]];
      const members = flat.filter((_, i) => i % 2 === 0);
      for (let from = 0; from < members.length; from += PAGE)
        await this.pageOfMembers(key, at, mode, members.slice(from, from + PAGE), onOrphan);
      cursor = next;
    } while (cursor !== '0');
  }

  /** Calls back with each entry of a lane that no record names: its run id, or null when it names none. */
  async entriesOf(key: string, partition: number, mode: MendMode, onOrphan: (runId: string | null) => void): Promise<void> {
    for (let from = '-'; ; ) {
      const entries = (await this.caller.command(partition, [
        'XRANGE',
        key,
        from,
        '+',
        'COUNT',
        PAGE,
      ])) as unknown as readonly StreamEntry[];
      const last = entries.at(-1);
      if (last === undefined) return;
      await this.pageOfEntries(key, partition, mode, entries, onOrphan);
      from = `(${last[0]}`;
    }
  }

  private async pageOfMembers(
    key: string,
    at: Readonly<{ partition: number; workflow: string }>,
    mode: MendMode,
    members: readonly string[],
    onOrphan: (runId: string) => void,
  ): Promise<void> {
    const keys = [key, ...members.map((runId) => this.runKeyIn(at.partition, runId) ?? `${this.keys.prefix(at.partition)}run:${runId}`)];
    const call = { name: 'mendMembers', script: scripts.mendMembers, partition: at.partition, keys, args: [mode, at.workflow, ...members] };
    for (const index of (await this.caller.script(call)) as readonly number[]) onOrphan(members[index] ?? '');
  }

  private async pageOfEntries(
    key: string,
    partition: number,
    mode: MendMode,
    entries: readonly StreamEntry[],
    onOrphan: (runId: string | null) => void,
  ): Promise<void> {
    const named = entries.map(([entryId, fields]) => ({ entryId, runId: field(fields, 'r'), bits: field(fields, 'b') ?? '' }));
    // The lane's own key holds no record: an entry that names no run of this partition is an orphan for the script.
    const keys = [key, ...named.map(({ runId }) => (runId === null ? null : this.runKeyIn(partition, runId)) ?? key)];
    const args = [mode, ...named.flatMap(({ entryId, bits }) => [entryId, bits])];
    const orphans = (await this.caller.script({
      name: 'mendEntries',
      script: scripts.mendEntries,
      partition,
      keys,
      args,
    })) as readonly number[];
    for (const index of orphans) onOrphan(named[index]?.runId ?? null);
  }

  /** Null for a run whose keys live in another partition. */
  private runKeyIn(partition: number, runId: string): string | null {
    return this.keys.partitionOf(runId) === partition ? this.keys.run(runId) : null;
  }
}

function field(fields: readonly string[] | null, name: string): string | null {
  const at = (fields ?? []).findIndex((text, i) => i % 2 === 0 && text === name);
  return at < 0 ? null : ((fields ?? [])[at + 1] ?? null);
}
