import type { Redis } from 'ioredis';
import { hashSlot } from '../crc16.js';
import { answerWithin } from './answer-within.js';
import { clientOptions, type ConnectionPurpose } from './client-options.js';
import type { ResolvedConfig } from './configuration.js';
import { ConnectionClosedByUs, failureOf, TimedOut, type Failure } from './failures.js';
import { RedisLink } from './redis-link.js';
import type { Address } from './store-address.js';
import type { Topology } from './topology.js';

/** `[first slot, last slot, [master host, port, …], …replicas]`, as CLUSTER SLOTS answers. */
type SlotRange = readonly [first: number, last: number, master: readonly [host: string | null, port: number]];

/** Longest wait for one node when the slots are looked up; another node may know as well. */
const ASK_NODE_MS = 1_000;

/**
 * A Redis Cluster. The client library's own cluster mode repeats calls by itself, which would hide what was applied
 * twice; this one only knows which node has which partition, and leaves every repetition to the caller.
 */
export class ClusterTopology implements Topology {
  readonly groups: ReadonlyArray<readonly number[]>;
  private readonly slots: readonly number[];
  private readonly links = new Map<string, RedisLink>();
  /** Address of the node that has each partition; empty before the first look. */
  private owners: string[] = [];
  private refreshing: Promise<void> | null = null;
  private isClosed = false;

  constructor(
    private readonly config: ResolvedConfig,
    prefixes: readonly string[],
  ) {
    this.slots = prefixes.map(hashSlot);
    this.groups = prefixes.map((_, partition) => [partition]);
  }

  linkOf(partition: number, limitMs: number): RedisLink | Promise<RedisLink> {
    const owner = this.owners[partition];
    return owner === undefined ? this.findLink(partition, limitMs) : this.linkTo(owner);
  }

  linkTo(address: string): RedisLink {
    const known = this.links.get(address);
    if (known !== undefined) return known;
    const link = this.open(address, 'commands');
    this.links.set(address, link);
    return link;
  }

  async openBlocking(partition: number, limitMs: number): Promise<RedisLink> {
    return this.open((await this.linkOf(partition, limitMs)).name, 'blocking');
  }

  async openSubscriber(onReady: (client: Redis) => void, limitMs: number): Promise<RedisLink> {
    // PUBLISH reaches every node of a cluster.
    return this.open((await this.linkOf(0, limitMs)).name, 'subscriber', onReady);
  }

  learn(partition: number, failure: Failure): void {
    if (failure.kind === 'moved' && failure.address) this.owners[partition] = failure.address;
    const mayHaveMoved = failure.kind === 'moved' || failure.kind === 'connection' || ['READONLY', 'CLUSTERDOWN'].includes(failure.code);
    // Who calls has its own time limit and its own failure; the next call finds what this look found.
    if (mayHaveMoved) this.refresh().catch(() => undefined);
  }

  async onePartitionOfEachServer(limitMs: number): Promise<number[]> {
    await this.linkOf(0, limitMs);
    return [...new Map(this.owners.map((owner, partition) => [owner, partition])).values()];
  }

  close(): void {
    this.isClosed = true;
    for (const link of this.links.values()) link.close();
  }

  private async findLink(partition: number, limitMs: number): Promise<RedisLink> {
    await answerWithin(this.config.clock, limitMs, this.refresh());
    const owner = this.owners[partition];
    if (owner === undefined) throw new TimedOut(`no node of the cluster serves partition ${partition}`);
    return this.linkTo(owner);
  }

  /** Looks the owners up; many who ask at once share one look. */
  private refresh(): Promise<void> {
    this.refreshing ??= this.lookUp().finally(() => {
      this.refreshing = null;
    });
    return this.refreshing;
  }

  private async lookUp(): Promise<void> {
    const seeds = this.config.servers.kind === 'cluster' ? this.config.servers.nodes.map(addressText) : [];
    const ready = [...this.links].filter(([, link]) => link.current !== null).map(([address]) => address);
    let reason = 'no node is known';
    for (const address of new Set([...ready, ...seeds])) {
      try {
        return this.adopt(address, await this.askNode(address));
      } catch (error) {
        reason = failureOf(error).error.message;
      }
    }
    throw new TimedOut(`no node of the cluster tells who serves what: ${reason}`);
  }

  private async askNode(address: string): Promise<readonly SlotRange[]> {
    const client = await this.linkTo(address).ready(ASK_NODE_MS);
    return (await client.cluster('SLOTS')) as unknown as readonly SlotRange[];
  }

  private adopt(asked: string, ranges: readonly SlotRange[]): void {
    const owners = this.slots.map((slot) => {
      const range = ranges.find(([first, last]) => first <= slot && slot <= last);
      // A node that does not know its own address leaves the host empty: it is the one that was asked.
      return range === undefined
        ? undefined
        : addressText({ host: range[2][0] || asked.slice(0, asked.lastIndexOf(':')), port: range[2][1] });
    });
    for (const [partition, owner] of owners.entries()) if (owner !== undefined) this.owners[partition] = owner;
    for (const [address, link] of this.links) {
      if (this.owners.includes(address) || link.current !== null) continue;
      link.close();
      this.links.delete(address);
    }
  }

  private open(address: string, purpose: ConnectionPurpose, onReady?: (client: Redis) => void): RedisLink {
    if (this.isClosed) throw new ConnectionClosedByUs('the storage is closed');
    const { clock, random } = this.config;
    const client = clientOptions(this.config, purpose, parseAddress(address));
    return new RedisLink({ name: address, client, clock, random, ...(onReady === undefined ? {} : { onReady }) });
  }
}

function addressText({ host, port }: Address): string {
  return `${host}:${port}`;
}

function parseAddress(text: string): Address {
  const at = text.lastIndexOf(':');
  return { host: text.slice(0, at), port: Number(text.slice(at + 1)) };
}
