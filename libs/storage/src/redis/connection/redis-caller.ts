import type { Redis } from 'ioredis';
import { StoreUnavailable } from '@millrace/durable';
import { answerWithin } from './answer-within.js';
import type { ResolvedConfig } from './configuration.js';
import { failureOf, RedisCallError, type Failure } from './failures.js';
import type { Topology } from './topology.js';
import type { RedisLink } from './redis-link.js';

/** A script of scripts.generated.ts. */
export interface Script {
  readonly lua: string;
  readonly sha1: string;
}

/** What is called, and where. */
interface Call {
  readonly name: string;
  readonly partition: number;
}

/** A named script with everything it is called with. Its arguments are chosen before the first try and never change. */
export interface ScriptCall extends Call {
  readonly script: Script;
  readonly keys: readonly string[];
  readonly args: ReadonlyArray<string | number>;
}

/** Redis answers as the client library gives them. */
export type Reply = string | number | null | readonly Reply[];

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 250;

type CallerConfig = Pick<ResolvedConfig, 'giveUpMs' | 'commandTimeoutMs' | 'maxOutstanding' | 'clock' | 'random'>;

/**
 * Calls Redis until it is answered: whatever may or may not have been applied is repeated here, with the same arguments,
 * on a new connection after the old one is destroyed, and nowhere else.
 */
export class RedisCaller {
  private outstanding = 0;
  private readonly loads = new WeakMap<Redis, Map<string, Promise<unknown>>>();

  constructor(
    readonly topology: Topology,
    private readonly config: CallerConfig,
  ) {}

  /** Calls that have no answer yet. */
  get underWay(): number {
    return this.outstanding;
  }

  /**
   * @param members what the call counts for among those that may be outstanding
   * @throws StoreUnavailable; RedisCallError with the name of the script when the script itself fails
   */
  script(call: ScriptCall, members = 1): Promise<Reply> {
    return this.perform(call, this.config.giveUpMs, (client) => this.evaluate(client, call), members);
  }

  /** One command on the server of a partition. Only what may be repeated: reads, and writes that a repetition does not change. */
  command(partition: number, words: readonly [string, ...Array<string | number>], giveUpMs: number = this.config.giveUpMs): Promise<Reply> {
    const [name, ...args] = words;
    return this.perform({ name, partition }, giveUpMs, (client) => client.call(name, ...args) as Promise<Reply>);
  }

  /** A partition of each server that holds some. @throws StoreUnavailable when a cluster does not say in time */
  async onePartitionOfEachServer(): Promise<number[]> {
    try {
      return await this.topology.onePartitionOfEachServer(this.config.giveUpMs);
    } catch (error) {
      throw new StoreUnavailable('CLUSTER SLOTS', { cause: failureOf(error).error });
    }
  }

  private async perform({ name, partition }: Call, giveUpMs: number, send: (client: Redis) => Promise<Reply>, members = 1): Promise<Reply> {
    if (this.outstanding >= this.config.maxOutstanding) {
      throw new StoreUnavailable(name, { cause: new Error(`${this.outstanding} calls have no answer yet`) });
    }
    const deadline = this.config.clock.monotonic() + giveUpMs;
    let askAt: string | null = null;
    this.outstanding += members;
    try {
      for (let attempt = 0; ; attempt += 1) {
        const outcome = await this.attempt(partition, deadline, send, askAt);
        if (!('failure' in outcome)) return outcome.reply;
        const { failure } = outcome;
        if (failure.kind === 'reply') throw new RedisCallError(name, failure.code, failure.error);
        this.topology.learn(partition, failure);
        askAt = failure.kind === 'ask' ? (failure.address ?? null) : null;
        const pauseMs = this.pauseBefore(attempt, failure);
        if (failure.kind === 'closed' || this.config.clock.monotonic() + pauseMs >= deadline) {
          throw new StoreUnavailable(name, { cause: failure.error });
        }
        if (pauseMs > 0) await this.pause(pauseMs);
      }
    } finally {
      this.outstanding -= members;
    }
  }

  private async attempt(
    partition: number,
    deadline: number,
    send: (client: Redis) => Promise<Reply>,
    askAt: string | null,
  ): Promise<{ reply: Reply } | { failure: Failure }> {
    let link: RedisLink | undefined;
    let client: Redis | undefined;
    try {
      link = askAt === null ? await this.topology.linkOf(partition, this.untilOf(deadline)) : this.topology.linkTo(askAt);
      client = link.current ?? (await link.ready(this.untilOf(deadline)));
      if (askAt === null) return { reply: await this.within(deadline, send(client)) };
      // Written in the same turn as the call it is for, so nothing comes between them.
      const [, reply] = await Promise.all([client.asking(), this.within(deadline, send(client))]);
      return { reply };
    } catch (error) {
      const failure = failureOf(error);
      // Whoever was demoted, lost its master or hangs is left: another server may have the role on the next connection.
      if (link !== undefined && client !== undefined && endsConnection(failure)) link.discard(client);
      return { failure };
    }
  }

  /** The client library ends a call after the command time-out; only a deadline before that needs a timer of ours. */
  private within(deadline: number, sent: Promise<Reply>): Promise<Reply> {
    const leftMs = this.untilOf(deadline);
    if (leftMs > this.config.commandTimeoutMs) return sent;
    return answerWithin(this.config.clock, leftMs, sent);
  }

  private evaluate(client: Redis, call: ScriptCall): Promise<Reply> {
    const words = [call.script.sha1, call.keys.length, ...call.keys, ...call.args] as const;
    const evaluated = client.call('EVALSHA', ...words) as Promise<Reply>;
    return evaluated.catch(async (error: unknown) => {
      if (failureOf(error).kind !== 'no-script') throw error;
      await this.load(client, call.script);
      return (await client.call('EVALSHA', ...words)) as Reply;
    });
  }

  /** The script cache is gone after a restart, a failover and SCRIPT FLUSH; many calls that notice at once load it once. */
  private load(client: Redis, script: Script): Promise<unknown> {
    const loads = this.loads.get(client) ?? new Map<string, Promise<unknown>>();
    this.loads.set(client, loads);
    const loading = loads.get(script.sha1) ?? client.call('SCRIPT', 'LOAD', script.lua).finally(() => loads.delete(script.sha1));
    loads.set(script.sha1, loading);
    return loading;
  }

  private pauseBefore(attempt: number, failure: Failure): number {
    if (failure.kind === 'moved' || failure.kind === 'ask') return attempt < 5 ? 0 : LONGEST_PAUSE_MS;
    return Math.min(FIRST_PAUSE_MS * 2 ** attempt, LONGEST_PAUSE_MS) * (0.5 + this.config.random.fraction() / 2);
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.config.clock.after(ms, resolve);
    });
  }

  private untilOf(deadline: number): number {
    return Math.max(1, deadline - this.config.clock.monotonic());
  }
}

function endsConnection({ kind, code }: Failure): boolean {
  return kind === 'connection' || ['READONLY', 'MASTERDOWN', 'UNBLOCKED'].includes(code);
}
