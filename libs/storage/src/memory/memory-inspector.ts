import {
  decodeEntry,
  entryField,
  type Inspector,
  InvalidInput,
  isTerminal,
  type JournalPage,
  type ListedRun,
  type ListQuery,
  type ReadPayloads,
  type RunHead,
} from '@millrace/durable';
import { type IndexClass, indexClassOf } from '../redis/keys.js';
import { undelivered } from './lane-stream.js';
import { compareNewestFirst, decodeCursor, encodeCursor, type ListPlace } from './list-cursor.js';
import { headOf, type MemoryRecord } from './memory-record.js';
import type { MemoryServer, StatusChange } from './memory-server.js';
import type { Partition } from './partition.js';
import { type JournalRange, readJournal } from './read-journal.js';

type Count = Awaited<ReturnType<Inspector['counts']>>[number];
type Progress = NonNullable<Awaited<ReturnType<Inspector['getProgress']>>>;

const MOST_ROWS = 200;

/** The read path: what operators and the API see. */
export class MemoryInspector implements Inspector {
  constructor(private readonly server: MemoryServer) {}

  async getRun(runId: string, payloads: ReadPayloads = 'all'): Promise<RunHead | null> {
    const record = this.server.readRecord(runId);
    const head = record && headOf(record, outputOf(record));
    if (head === null || payloads === 'all') return head;
    return isTerminal(head.status) ? head : { ...head, input: '' };
  }

  async getProgress(runId: string): Promise<Progress | null> {
    const record = this.server.readRecord(runId);
    if (record === null) {
      return null;
    }
    const { status, revision, cancel, journalEnd, createdAt } = record;
    return structuredClone({ status, revision, cancel, journalEnd, createdAt });
  }

  async getLease(runId: string): Promise<number | null> {
    return this.server.partitionOf(runId).leases.get(runId) ?? null;
  }

  async readJournal({ runId, ...range }: JournalRange & { readonly runId: string }): Promise<JournalPage> {
    return readJournal(this.server.readRecord(runId), range);
  }

  async readPastAttempts(runId: string, numbers: readonly number[]): Promise<string[][]> {
    const journal = this.server.readRecord(runId)?.journal ?? new Map<string, string>();
    return numbers.map((number) => {
      const prefix = `${entryField(number)}!`;
      return [...journal].filter(([field]) => field.startsWith(prefix)).map(([, value]) => value);
    });
  }

  async list(query: ListQuery): Promise<{ readonly runs: ListedRun[]; readonly cursor: string | null }> {
    assertLimit(query.limit);
    const after = query.cursor === undefined ? null : decodeCursor(query.cursor);
    const found = this.server.partitions
      .flatMap((partition) => indexed(partition, query))
      .filter((place) => isBetween(place, query) && (after === null || compareNewestFirst(after, place) < 0))
      .sort(compareNewestFirst)
      .map((place) => ({ place, row: this.rowOf(place.runId) }))
      .filter(({ row }) => query.status === undefined || 'broken' in row || row.status === query.status);
    const page = found.slice(0, query.limit);
    const last = page.at(-1);
    return { runs: page.map(({ row }) => row), cursor: found.length > page.length && last ? encodeCursor(last.place) : null };
  }

  async counts(): Promise<Count[]> {
    const sums = new Map<string, number>();
    for (const { index } of this.server.partitions) {
      for (const [name, members] of index) {
        sums.set(name, (sums.get(name) ?? 0) + members.size);
      }
    }
    return [...sums].filter(([, count]) => count > 0).map(([name, count]) => ({ ...splitIndexName(name), count }));
  }

  async laneDepth(lane: string): Promise<number> {
    const streams = this.server.partitions.map(({ lanes }) => lanes.get(lane));
    return streams.reduce((sum, stream) => sum + (stream === undefined ? 0 : undelivered(stream)), 0);
  }

  async watch(onEvent: (event: StatusChange) => void): Promise<{ close(): Promise<void> }> {
    const unsubscribe = this.server.events.add(onEvent);
    return { close: async () => unsubscribe() };
  }

  private rowOf(runId: string): ListedRun {
    const record = this.server.readRecord(runId);
    if (record === null) {
      const broken = this.server.partitionOf(runId).runs.get(runId);
      return { runId, broken: broken !== undefined && 'broken' in broken ? broken.broken : 'there is no record' };
    }
    const { status, lane, createdAt, startedAt, endedAt, wakeAt, revision, cancel } = record;
    return structuredClone({ runId, status, lane, createdAt, startedAt, endedAt, wakeAt, revision, cancel });
  }
}

/** A reference stands for the result of that journal entry: equal bytes are stored once. */
function outputOf({ output, journal }: MemoryRecord): string | null {
  if (output === null || typeof output === 'string') {
    return output;
  }
  const entry = decodeEntry(journal.get(entryField(output.ref)) ?? '', output.ref);
  return entry?.kind === 'step' ? entry.payload : null;
}

function assertLimit(limit: number): void {
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST_ROWS) {
    throw new InvalidInput('list query', [{ path: 'limit', message: `must be a whole number from 1 to ${MOST_ROWS}, not ${limit}` }]);
  }
}

function indexed({ index }: Partition, { workflow, status }: ListQuery): ListPlace[] {
  return [...index]
    .map(([name, members]) => ({ ...splitIndexName(name), members }))
    .filter((part) => workflow === undefined || part.workflow === workflow)
    .filter((part) => status === undefined || part.status === indexClassOf(status))
    .flatMap(({ members }) => [...members].map(([runId, createdAt]) => ({ runId, createdAt })));
}

function splitIndexName(name: string): { workflow: string; status: IndexClass } {
  const [workflow, status] = name.split('|') as [string, IndexClass];
  return { workflow, status };
}

function isBetween({ createdAt }: ListPlace, { from, to }: ListQuery): boolean {
  return (from === undefined || createdAt >= from) && (to === undefined || createdAt < to);
}
