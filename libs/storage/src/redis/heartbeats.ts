import type { HeartbeatAnswer, HeldClaim } from '@millrace/durable';
import type { RedisCaller, Reply } from './connection/redis-caller.js';
import type { StoreKeys } from './keys.js';
import { scripts } from './scripts.generated.js';

/** Claims in one call: no script reads more than 1,000 items, and a short script lets others in between. */
const MOST_CLAIMS = 500;

/** Moves leases: one call for all partitions of a server, for each 500 claims. */
export class Heartbeats {
  constructor(
    private readonly caller: RedisCaller,
    private readonly keys: StoreKeys,
  ) {}

  async send(claims: readonly HeldClaim[], leaseMs: number): Promise<HeartbeatAnswer> {
    const batches = this.batchesOf(claims);
    if (batches.length === 0) return { now: await this.now(), lost: [], moved: [] };
    const answers = await Promise.all(batches.map((batch) => this.sendBatch(batch, leaseMs)));
    const moving = answers.filter(({ lost }, i) => lost.length < (batches[i]?.length ?? 0));
    return {
      // Of many calls the earliest instant at which a lease was moved: no claim lapses before that instant plus the lease.
      now: Math.min(...(moving.length > 0 ? moving : answers).map(({ now }) => now)),
      lost: answers.flatMap(({ lost }) => lost),
      moved: answers.flatMap(({ moved }) => moved),
    };
  }

  private batchesOf(claims: readonly HeldClaim[]): HeldClaim[][] {
    const { groups } = this.caller.topology;
    const groupOf = new Map(groups.flatMap((partitions, group) => partitions.map((partition) => [partition, group] as const)));
    const batches = new Map<number, HeldClaim[][]>();
    for (const claim of claims) {
      const group = groupOf.get(this.keys.partitionOf(claim.runId)) ?? 0;
      const ofGroup = batches.get(group) ?? [[]];
      batches.set(group, ofGroup);
      if (ofGroup.at(-1)?.length === MOST_CLAIMS) ofGroup.push([]);
      ofGroup.at(-1)?.push(claim);
    }
    return [...batches.values()].flat();
  }

  private async sendBatch(claims: readonly HeldClaim[], leaseMs: number): Promise<HeartbeatAnswer> {
    const partitions = [...new Set(claims.map(({ runId }) => this.keys.partitionOf(runId)))];
    const keys = [...partitions.map((partition) => this.keys.leases(partition)), ...claims.map(({ runId }) => this.keys.run(runId))];
    const members = claims.flatMap(({ runId, token, inbox }) => [
      partitions.indexOf(this.keys.partitionOf(runId)) + 1,
      runId,
      token,
      inbox,
    ]);
    const args = [leaseMs, partitions.length, ...members];
    const reply = await this.caller.script({ name: 'heartbeat', script: scripts.heartbeat, partition: partitions[0] ?? 0, keys, args });
    const [now, lost, moved] = reply as readonly [number, readonly number[], readonly number[]];
    const idsOf = (indexes: readonly number[]): string[] => indexes.map((index) => claims[index]?.runId ?? '');
    return { now, lost: idsOf(lost), moved: idsOf(moved) };
  }

  private async now(): Promise<number> {
    const [seconds, micros] = (await this.caller.command(0, ['TIME'])) as readonly Reply[];
    return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
  }
}
