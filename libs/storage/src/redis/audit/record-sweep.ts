import type { Randomness } from '@millrace/durable';
import { isWrongType } from '../connection/failures.js';
import type { RedisCaller } from '../connection/redis-caller.js';
import type { IndexClass, StoreKeys } from '../keys.js';
import { KnownWorkflows } from '../known-workflows.js';
import { settleAll } from '../settle-all.js';
import { faultRepairs, type Fault } from './faults.js';
import { RunMender } from './run-mender.js';

/** A record that was at odds with its surroundings, and what was done about it. */
export interface SweptRecord {
  readonly runId: string;
  readonly fault: Fault;
  readonly repair: string;
}

/** Records looked at in one call, about. */
const DEFAULT_LIMIT = 200;
const UNFINISHED: readonly IndexClass[] = ['active', 'waiting'];

interface SweptIndex {
  readonly partition: number;
  readonly workflow: string;
  readonly key: string;
}

/**
 * The auditor in small, for every worker all the time: looks at a bounded number of unfinished records, a further part each
 * time, and mends what disagrees with them. So a run whose activation or timer somebody deleted by hand goes on.
 */
export class RecordSweep {
  private readonly mender: RunMender;
  private readonly workflows: KnownWorkflows;
  /** Indexes that this round still has to walk; an empty list begins a round. */
  private remaining: SweptIndex[] = [];
  private cursor = '0';

  constructor(
    private readonly caller: RedisCaller,
    private readonly keys: StoreKeys,
    random: Randomness,
  ) {
    this.mender = new RunMender(caller, keys, random);
    this.workflows = new KnownWorkflows(caller, keys);
  }

  async sweep(request: Readonly<{ limit: number }> = { limit: DEFAULT_LIMIT }): Promise<SweptRecord[]> {
    if (this.remaining.length === 0) await this.beginRound();
    const swept: SweptRecord[] = [];
    for (let looked = 0; looked < request.limit && this.remaining.length > 0; ) {
      const index = this.remaining[0] as SweptIndex;
      const runIds = await this.nextPage(index, request.limit);
      const found = await settleAll(runIds, (runId) => this.mend(runId, index.workflow));
      swept.push(...found.flat());
      looked += Math.max(1, runIds.length);
    }
    return swept;
  }

  private async beginRound(): Promise<void> {
    await this.workflows.refresh();
    const partitions = Array.from({ length: this.keys.partitions }, (_, partition) => partition);
    this.cursor = '0';
    this.remaining = partitions.flatMap((partition) =>
      [...this.workflows.of(partition)].flatMap((workflow) =>
        UNFINISHED.map((indexClass) => ({ partition, workflow, key: this.keys.index(partition, workflow, indexClass) })),
      ),
    );
  }

  private async nextPage({ partition, key }: SweptIndex, limit: number): Promise<string[]> {
    try {
      const [next, flat] = (await this.caller.command(partition, ['ZSCAN', key, this.cursor, 'COUNT', limit])) as [string, string[]];
      this.moveTo(next);
      return flat.filter((_, i) => i % 2 === 0);
    } catch (error) {
      if (!isWrongType(error)) throw error;
      this.moveTo('0');
      return [];
    }
  }

  private moveTo(cursor: string): void {
    this.cursor = cursor;
    if (cursor === '0') this.remaining.shift();
  }

  private async mend(runId: string, workflow: string): Promise<SweptRecord[]> {
    const faults = await this.mender.examine(runId, 'mend', workflow);
    return faults.flatMap((fault) => {
      const repair = faultRepairs[fault];
      return repair === null ? [] : [{ runId, fault, repair }];
    });
  }
}
