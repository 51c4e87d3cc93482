import type { Redis } from 'ioredis';
import { clientOptions, type ConnectionPurpose } from './client-options.js';
import type { ResolvedConfig } from './configuration.js';
import { ConnectionClosedByUs } from './failures.js';
import { RedisLink } from './redis-link.js';
import type { Topology } from './topology.js';

/** One server, or the master that sentinels name: every partition is there. */
export class SingleTopology implements Topology {
  readonly groups: ReadonlyArray<readonly number[]>;
  private readonly link: RedisLink;
  private isClosed = false;

  constructor(
    private readonly config: ResolvedConfig,
    partitions: number,
  ) {
    this.groups = [Array.from({ length: partitions }, (_, partition) => partition)];
    this.link = this.open('commands');
  }

  linkOf(): RedisLink {
    return this.link;
  }

  linkTo(): RedisLink {
    return this.link;
  }

  async openBlocking(): Promise<RedisLink> {
    return this.open('blocking');
  }

  async openSubscriber(onReady: (client: Redis) => void): Promise<RedisLink> {
    return this.open('subscriber', onReady);
  }

  learn(): void {
    // A sentinel is asked again by every new connection; one server never moves.
  }

  onePartitionOfEachServer(): Promise<number[]> {
    return Promise.resolve([0]);
  }

  close(): void {
    this.isClosed = true;
    this.link.close();
  }

  private open(purpose: ConnectionPurpose, onReady?: (client: Redis) => void): RedisLink {
    if (this.isClosed) throw new ConnectionClosedByUs('the storage is closed');
    const { clock, random } = this.config;
    const name = nameOf(this.config);
    return new RedisLink({
      name,
      client: clientOptions(this.config, purpose, null),
      clock,
      random,
      ...(onReady === undefined ? {} : { onReady }),
    });
  }
}

function nameOf({ servers }: ResolvedConfig): string {
  if (servers.kind === 'sentinel') return `the master ${servers.name}`;
  return servers.kind === 'standalone' ? `${servers.address.host}:${servers.address.port}` : 'the server';
}
