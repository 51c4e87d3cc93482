import { type WorkerAnnouncement, type WorkerRegistry, type WorkflowAnnouncement } from '@millrace/durable';
import type { RedisCaller } from './connection/redis-caller.js';
import type { StoreKeys } from './keys.js';
import { scripts } from './scripts.generated.js';

/** Workers that lapsed this long ago are forgotten with the next announcement of another one. */
const KEPT_MS = 7 * 24 * 3_600_000;
const MOST_INCARNATIONS = 100;
/** The namespace's own keys live in this partition. */
const HOME = 0;

/** Who works here and what they can do, on Redis. */
export class RedisRegistry implements WorkerRegistry {
  constructor(
    private readonly caller: RedisCaller,
    private readonly keys: StoreKeys,
  ) {}

  async announce(worker: WorkerAnnouncement, ttlMs: number): Promise<void> {
    await this.caller.script({
      name: 'announce',
      script: scripts.announce,
      partition: HOME,
      keys: [this.keys.workers, this.keys.workersExpiry],
      args: [worker.incarnation, JSON.stringify(worker), ttlMs, KEPT_MS],
    });
  }

  async announceWorkflows(workflows: readonly WorkflowAnnouncement[]): Promise<void> {
    if (workflows.length === 0) return;
    const fields = workflows.flatMap((one) => [`${one.workflow}|${one.version}|${one.queue}`, JSON.stringify(one)]);
    await this.caller.command(HOME, ['HSET', this.keys.workflows, ...fields]);
  }

  async workers(): Promise<Array<WorkerAnnouncement & { readonly expiresAt: number }>> {
    const [announced, flat] = await Promise.all([
      this.announced(),
      this.caller.command(HOME, ['ZRANGE', this.keys.workersExpiry, 0, -1, 'WITHSCORES']),
    ]);
    const expiry = expiries(flat as ReadonlyArray<string | readonly [string, number]>);
    return announced.map((worker) => ({ ...worker, expiresAt: expiry.get(worker.incarnation) ?? 0 }));
  }

  async incarnations(name: string): Promise<WorkerAnnouncement[]> {
    const ofName = (await this.announced()).filter((worker) => worker.name === name);
    return ofName.toSorted((a, b) => b.startedAt - a.startedAt).slice(0, MOST_INCARNATIONS);
  }

  async forget(incarnation: string): Promise<void> {
    await Promise.all([
      this.caller.command(HOME, ['HDEL', this.keys.workers, incarnation]),
      this.caller.command(HOME, ['ZREM', this.keys.workersExpiry, incarnation]),
    ]);
  }

  async workflows(): Promise<WorkflowAnnouncement[]> {
    const values = (await this.caller.command(HOME, ['HVALS', this.keys.workflows])) as readonly string[];
    return values.flatMap((text) => (parsed(text) as WorkflowAnnouncement | null) ?? []);
  }

  private async announced(): Promise<WorkerAnnouncement[]> {
    const values = (await this.caller.command(HOME, ['HVALS', this.keys.workers])) as readonly string[];
    return values.flatMap((text) => (parsed(text) as WorkerAnnouncement | null) ?? []);
  }
}

/** An announcement that somebody spoiled by hand hides nothing but itself. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** With RESP3 every member comes with its score as a pair, with RESP2 in turn. */
function expiries(flat: ReadonlyArray<string | readonly [string, number | string]>): Map<string, number> {
  const found = new Map<string, number>();
  for (const [i, item] of flat.entries()) {
    if (typeof item !== 'string') found.set(item[0], Number(item[1]));
    else if (i % 2 === 0) found.set(item, Number(flat[i + 1]));
  }
  return found;
}
