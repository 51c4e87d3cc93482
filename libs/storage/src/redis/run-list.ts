import { InvalidInput, parseLane, type ListedRun, type ListQuery } from '@millrace/durable';
import { compareNewestFirst, decodeCursor, encodeCursor, type ListPlace } from '../memory/list-cursor.js';
import { isWrongType } from './connection/failures.js';
import type { RedisCaller } from './connection/redis-caller.js';
import { indexClasses, indexClassOf, type StoreKeys } from './keys.js';
import type { KnownWorkflows } from './known-workflows.js';
import { instant, namedFields, numberOr, parseCancel, statusOf, type FieldValue } from './record-fields.js';
import { scripts } from './scripts.generated.js';

const MOST_ROWS = 200;
/** Indexes that one script merges: it reads a few rows of each at least, and no script reads many more than 1,000 items. */
const MOST_INDEXES = 100;
/** What a row is made of: never a payload. */
const ROW_FIELDS = ['F', 'S', 'L', 'C', 'B', 'E', 'U', 'R', 'X'] as const;

/** Lists runs newest first: one call that merges the indexes of a server, one read of the rows' heads. */
export class RunList {
  constructor(
    private readonly caller: RedisCaller,
    private readonly keys: StoreKeys,
    private readonly workflows: KnownWorkflows,
  ) {}

  async page(query: ListQuery): Promise<{ readonly runs: ListedRun[]; readonly cursor: string | null }> {
    assertLimit(query.limit);
    const after = query.cursor === undefined ? null : decodeCursor(query.cursor);
    const found = await this.places(query, after);
    // A run that moved from one index to another in between stands in both.
    const places = found.filter(({ runId }, at) => found.findIndex((place) => place.runId === runId) === at);
    const page = places.slice(0, query.limit);
    const rows = await Promise.all(page.map(({ runId }) => this.rowOf(runId)));
    const last = page.at(-1);
    return {
      // A queued and a running run share an index, and a run may have moved since the index was read.
      runs: rows.filter((row) => query.status === undefined || 'broken' in row || row.status === query.status),
      cursor: found.length > page.length && last !== undefined ? encodeCursor(last) : null,
    };
  }

  /** One place more than fits, so that it shows whether a further page follows. */
  private async places(query: ListQuery, after: ListPlace | null): Promise<ListPlace[]> {
    if (query.workflow !== undefined || !this.workflows.isKnown) {
      if (query.workflow === undefined) await this.workflows.refresh();
      return this.merged(query, after);
    }
    // Looked up beside the page: only when a workflow came since the last look, the page is read again.
    const [hasNew, places] = await Promise.all([this.workflows.refresh(), this.merged(query, after)]);
    return hasNew ? this.merged(query, after) : places;
  }

  private async merged(query: ListQuery, after: ListPlace | null): Promise<ListPlace[]> {
    const calls = this.caller.topology.groups.flatMap((partitions) =>
      chunks(this.indexes(partitions, query)).map((keys) => this.mergeOf(partitions[0] ?? 0, keys, query, after)),
    );
    return (await Promise.all(calls))
      .flat()
      .toSorted(compareNewestFirst)
      .slice(0, query.limit + 1);
  }

  private indexes(partitions: readonly number[], { workflow, status }: ListQuery): string[] {
    const classes = status === undefined ? indexClasses : [indexClassOf(status)];
    return partitions.flatMap((partition) => {
      const names = workflow === undefined ? [...this.workflows.of(partition)] : [workflow];
      return names.flatMap((name) => classes.map((indexClass) => this.keys.index(partition, name, indexClass)));
    });
  }

  private async mergeOf(partition: number, keys: readonly string[], query: ListQuery, after: ListPlace | null): Promise<ListPlace[]> {
    const args = [query.limit + 1, query.from ?? '', query.to ?? '', after?.createdAt ?? '', after?.runId ?? ''];
    const flat = (await this.caller.script({ name: 'listPage', script: scripts.listPage, partition, keys, args })) as readonly string[];
    return Array.from({ length: flat.length / 2 }, (_, i) => ({ createdAt: Number(flat[2 * i]), runId: flat[2 * i + 1] ?? '' }));
  }

  private async rowOf(runId: string): Promise<ListedRun> {
    try {
      const values = await this.caller.command(this.keys.partitionOf(runId), ['HMGET', this.keys.run(runId), ...ROW_FIELDS]);
      return parseRow(runId, values as readonly FieldValue[]);
    } catch (error) {
      if (isWrongType(error)) return { runId, broken: 'the key holds no hash' };
      throw error;
    }
  }
}

function parseRow(runId: string, values: readonly FieldValue[]): ListedRun {
  const fields = namedFields(ROW_FIELDS, values);
  if (Object.values(fields).every((value) => value === null)) return { runId, broken: 'there is no record' };
  const status = statusOf(fields.S);
  const lane = parseLane(fields.L ?? '');
  if (fields.F === null || status === null || lane === null) return { runId, broken: 'a field of the head is missing or no value of it' };
  return {
    runId,
    status,
    lane,
    createdAt: numberOr(0, fields.C),
    startedAt: instant(fields.B),
    endedAt: instant(fields.E),
    wakeAt: instant(fields.U),
    revision: numberOr(0, fields.R),
    cancel: parseCancel(fields.X),
  };
}

function assertLimit(limit: number): void {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MOST_ROWS) return;
  throw new InvalidInput('list query', [{ path: 'limit', message: `must be a whole number from 1 to ${MOST_ROWS}, not ${limit}` }]);
}

function chunks(keys: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(keys.length / MOST_INDEXES) }, (_, i) => keys.slice(i * MOST_INDEXES, (i + 1) * MOST_INDEXES));
}
