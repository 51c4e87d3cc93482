import { laneName, parseLane, type DeliveredActivation, type Lane, type Randomness } from '@millrace/durable';
import { isWrongType } from './connection/failures.js';
import { moveRun } from './pump.js';
import { namedFields, type FieldValue } from './record-fields.js';
import type { RunScripts } from './run-scripts.js';
import { settleAll } from './settle-all.js';

/** Whose claims are taken back, and which of them. */
export type TakeBackRequest = Readonly<{ owner: string; lanes: readonly Lane[]; activationBudget: number; setAsideError: string }>;

const PAGE = 500;

/** Buries the claims of an incarnation that is proven dead. Walks the leases of every partition, a page at a time. */
export class TakeBack {
  constructor(
    private readonly scripts: RunScripts,
    private readonly random: Randomness,
  ) {}

  async takeBack(request: TakeBackRequest): Promise<DeliveredActivation[]> {
    const served = new Set(request.lanes.map(laneName));
    const partitions = Array.from({ length: this.scripts.keys.partitions }, (_, partition) => partition);
    const taken = await settleAll(partitions, (partition) => this.ofPartition(partition, served, request));
    return taken.flat();
  }

  private async ofPartition(partition: number, served: ReadonlySet<string>, request: TakeBackRequest): Promise<DeliveredActivation[]> {
    const taken: DeliveredActivation[] = [];
    let cursor = '0';
    do {
      // A scan sees every member that is there all the time, also while others come and go.
      const key = this.scripts.keys.leases(partition);
      const [next, flat] = (await this.scripts.caller.command(partition, ['ZSCAN', key, cursor, 'COUNT', PAGE])) as [string, string[]];
      const runIds = flat.filter((_, index) => index % 2 === 0);
      const found = await settleAll(runIds, (runId) => this.takeIfHeld(runId, served, request));
      taken.push(...found.flatMap((activation) => activation ?? []));
      cursor = next;
    } while (cursor !== '0');
    return taken;
  }

  private async takeIfHeld(runId: string, served: ReadonlySet<string>, request: TakeBackRequest): Promise<DeliveredActivation | null> {
    const held = await this.holderOf(runId);
    const lane = parseLane(held?.L ?? '');
    if (held?.O !== request.owner || held.T === null || lane === null || !served.has(laneName(lane))) return null;
    const move = { script: 'bury', runId, lane, request, further: [request.owner] } as const;
    return (await moveRun(this.scripts, this.random, move)).activation;
  }

  private async holderOf(runId: string): Promise<Record<'O' | 'T' | 'L', string | null> | null> {
    const { caller, keys } = this.scripts;
    try {
      const values = await caller.command(keys.partitionOf(runId), ['HMGET', keys.run(runId), 'O', 'T', 'L']);
      return namedFields(['O', 'T', 'L'], values as readonly FieldValue[]);
    } catch (error) {
      if (isWrongType(error)) return null;
      throw error;
    }
  }
}
