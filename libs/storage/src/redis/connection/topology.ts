import type { Redis } from 'ioredis';
import type { Failure } from './failures.js';
import type { RedisLink } from './redis-link.js';

/** Which connection serves which partition. */
export interface Topology {
  /** Partitions that one call may span: all of them on one server, each for itself on a cluster. */
  readonly groups: ReadonlyArray<readonly number[]>;
  /** The connection to the server that has the partition now. @throws TimedOut when the servers do not say in time */
  linkOf(partition: number, limitMs: number): RedisLink | Promise<RedisLink>;
  /** The connection to a node that a redirection named. */
  linkTo(address: string): RedisLink;
  /** A connection of its own for blocking reads of a partition; the caller closes it. */
  openBlocking(partition: number, limitMs: number): Promise<RedisLink>;
  /** A connection of its own that calls back with every ready client, for subscriptions; the caller closes it. */
  openSubscriber(onReady: (client: Redis) => void, limitMs: number): Promise<RedisLink>;
  /** Learns from a failure where a partition has gone. */
  learn(partition: number, failure: Failure): void;
  /** A partition of each server that holds some, for checks of servers. */
  onePartitionOfEachServer(limitMs: number): Promise<number[]>;
  close(): void;
}
