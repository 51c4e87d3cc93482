import {
  decodeEntry,
  entryField,
  PAST_ATTEMPTS_KEPT,
  type Clock,
  type EventSink,
  type Inspector,
  type JournalPage,
  type ListedRun,
  type ListQuery,
  type ReadPayloads,
  type RunEvent,
  type RunFeed,
  type RunHead,
} from '@millrace/durable';
import { isWrongType } from './connection/failures.js';
import type { RedisCaller } from './connection/redis-caller.js';
import { EventFeed } from './event-feed.js';
import { journalPage } from './journal-page.js';
import { indexClasses, type StoreKeys } from './keys.js';
import { KnownWorkflows } from './known-workflows.js';
import { numberOr, namedFields, parseCancel, parseHead, statusOf, type FieldValue } from './record-fields.js';
import { RunList } from './run-list.js';
import { scripts } from './scripts.generated.js';

type Count = Awaited<ReturnType<Inspector['counts']>>[number];
type Progress = NonNullable<Awaited<ReturnType<Inspector['getProgress']>>>;

const MOST_KEYS = 1_000;
const PROGRESS_FIELDS = ['F', 'S', 'L', 'R', 'X', 'J', 'C'] as const;

/** Arguments of read-run.lua. */
const withoutInput = { all: [], 'all-of-terminal': ['t'] } as const satisfies Record<ReadPayloads, readonly string[]>;

/** The read path on Redis. */
export class RedisInspector implements Inspector {
  private readonly workflows: KnownWorkflows;
  private readonly runs: RunList;
  private readonly feed: EventFeed;

  constructor(
    private readonly caller: RedisCaller,
    private readonly keys: StoreKeys,
    surroundings: Readonly<{ clock: Clock; emit: EventSink }>,
  ) {
    this.workflows = new KnownWorkflows(caller, keys);
    this.runs = new RunList(caller, keys, this.workflows);
    this.feed = new EventFeed(caller, keys, surroundings);
  }

  async getRun(runId: string, payloads: ReadPayloads = 'all'): Promise<RunHead | null> {
    const call = {
      name: 'readRun',
      script: scripts.readRun,
      partition: this.keys.partitionOf(runId),
      keys: [this.keys.run(runId)],
      args: withoutInput[payloads],
    };
    const answer = await ofHash(this.caller.script(call));
    if (answer === null) return null;
    const [values, referenced] = answer as readonly [readonly FieldValue[], string | null];
    const head = parseHead(runId, values);
    return typeof head === 'string' ? null : { ...head, output: outputOf(head.output, referenced) };
  }

  async getProgress(runId: string): Promise<Progress | null> {
    const values = await ofHash(this.caller.command(this.keys.partitionOf(runId), ['HMGET', this.keys.run(runId), ...PROGRESS_FIELDS]));
    const fields = namedFields(PROGRESS_FIELDS, (values ?? []) as readonly FieldValue[]);
    const status = statusOf(fields.S);
    if (fields.F === null || fields.L === null || status === null) return null;
    const [revision, journalEnd, createdAt] = [numberOr(0, fields.R), numberOr(0, fields.J), numberOr(0, fields.C)];
    return { status, revision, cancel: parseCancel(fields.X), journalEnd, createdAt };
  }

  async getLease(runId: string): Promise<number | null> {
    const partition = this.keys.partitionOf(runId);
    const lapsesAt = await this.caller.command(partition, ['ZSCORE', this.keys.leases(partition), runId]);
    return lapsesAt === null ? null : Number(lapsesAt);
  }

  readJournal(request: Readonly<{ runId: string; from: number; journalEnd: number; limit?: number }>): Promise<JournalPage> {
    return journalPage(this.caller, this.keys, request);
  }

  async readPastAttempts(runId: string, numbers: readonly number[]): Promise<string[][]> {
    return Promise.all(
      numbers.map(async (number) => {
        const fields = Array.from({ length: PAST_ATTEMPTS_KEPT }, (_, slot) => `${entryField(number)}!${slot + 1}`);
        const values = await ofHash(this.caller.command(this.keys.partitionOf(runId), ['HMGET', this.keys.run(runId), ...fields]));
        return ((values ?? []) as readonly FieldValue[]).flatMap((value) => value ?? []);
      }),
    );
  }

  list(query: ListQuery): Promise<{ readonly runs: ListedRun[]; readonly cursor: string | null }> {
    return this.runs.page(query);
  }

  async counts(): Promise<Count[]> {
    await this.workflows.refresh();
    const indexes = this.caller.topology.groups.map((partitions) => partitions.flatMap((partition) => this.indexesOf(partition)));
    const counted = await Promise.all(indexes.map((ofGroup) => this.countAll(ofGroup)));
    const sums = new Map<string, Count>();
    for (const { workflow, status, count } of counted.flat()) {
      const name = `${workflow}|${status}`;
      sums.set(name, { workflow, status, count: (sums.get(name)?.count ?? 0) + count });
    }
    return [...sums.values()].filter(({ count }) => count > 0);
  }

  async laneDepth(lane: string): Promise<number> {
    const depths = await Promise.all(
      this.caller.topology.groups.map((partitions) => {
        const keys = partitions.map((partition) => this.keys.ready(partition, lane));
        return this.caller.script({ name: 'laneDepth', script: scripts.laneDepth, partition: partitions[0] ?? 0, keys, args: [] });
      }),
    );
    return depths.reduce<number>((sum, depth) => sum + Number(depth), 0);
  }

  async watch(onEvent: (event: RunEvent) => void, of: 'any' | 'followed' = 'any'): Promise<RunFeed> {
    // Each call listens by a function of its own, so that one callback may watch twice.
    const listener = (event: RunEvent): void => onEvent(event);
    const leave = await (of === 'any' ? this.feed.listenToAll(listener) : this.feed.listen(listener));
    return { follow: (runId) => this.feed.follow(this.keys.partitionOf(runId)), close: () => Promise.resolve(leave()) };
  }

  /** Ends every watch. */
  close(): void {
    this.feed.close();
  }

  private indexesOf(partition: number): Array<Omit<Count, 'count'> & { readonly partition: number; readonly key: string }> {
    return [...this.workflows.of(partition)].flatMap((workflow) =>
      indexClasses.map((status) => ({ workflow, status, partition, key: this.keys.index(partition, workflow, status) })),
    );
  }

  private async countAll(indexes: ReturnType<RedisInspector['indexesOf']>): Promise<Count[]> {
    const counted: Count[] = [];
    for (let at = 0; at < indexes.length; at += MOST_KEYS) {
      const page = indexes.slice(at, at + MOST_KEYS);
      const call = {
        name: 'countMembers',
        script: scripts.countMembers,
        partition: page[0]?.partition ?? 0,
        keys: page.map(({ key }) => key),
        args: [],
      };
      const counts = (await this.caller.script(call)) as readonly number[];
      counted.push(...page.map(({ workflow, status }, i) => ({ workflow, status, count: counts[i] ?? 0 })));
    }
    return counted;
  }
}

/** A reference stands for the result of that journal entry: equal bytes are stored once. */
function outputOf(stored: string | null, referenced: string | null): string | null {
  if (stored === null || stored.startsWith('=')) return stored?.slice(1) ?? null;
  const entry = decodeEntry(referenced ?? '', Number.parseInt(stored.slice(1), 36));
  return entry?.kind === 'step' ? entry.payload : null;
}

async function ofHash<Answer>(answer: Promise<Answer>): Promise<Answer | null> {
  try {
    return await answer;
  } catch (error) {
    if (isWrongType(error)) return null;
    throw error;
  }
}
