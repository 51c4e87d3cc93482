import { ConfigurationError, StoreUnavailable, type Lane } from '@millrace/durable';
import { Auditor } from './audit/auditor.js';
import { RecordSweep, type SweptRecord } from './audit/record-sweep.js';
import { ClusterTopology } from './connection/cluster-topology.js';
import { DEFAULT_PARTITIONS, resolveConfig, type RedisStorageConfig, type ResolvedConfig } from './connection/configuration.js';
import { RedisCaller } from './connection/redis-caller.js';
import { SingleTopology } from './connection/single-topology.js';
import type { Topology } from './connection/topology.js';
import { StoreKeys } from './keys.js';
import { RedisBells } from './redis-bells.js';
import { RedisInspector } from './redis-inspector.js';
import { RedisLaneReader } from './redis-lane-reader.js';
import { RedisRegistry } from './redis-registry.js';
import { RedisRunStore } from './redis-run-store.js';
import { scripts } from './scripts.generated.js';
import { judgeServer, readServerFacts, type ServerFacts } from './server-check.js';

/** Format of the records and keys that this version writes. */
const FORMAT = '1';
/** `close` waits this long for calls that have no answer yet, ms. */
const CLOSE_GRACE_MS = 1_000;
const CLOSE_POLL_MS = 10;
/** How long the key that `ping` writes stays, ms. */
const PROBE_MS = 60_000;

/** What an open storage is, for operators. Never a password. */
export interface StorageDescription {
  readonly namespace: string;
  readonly partitions: number;
  readonly topology: 'standalone' | 'sentinel' | 'cluster';
  readonly servers: readonly ServerFacts[];
  /** What weakens the promises on these servers. */
  readonly warnings: readonly string[];
}

/** Everything that Millrace keeps in one namespace of a Redis. */
export class RedisStorage {
  readonly runs: RedisRunStore;
  readonly inspector: RedisInspector;
  readonly registry: RedisRegistry;
  readonly bells: RedisBells;
  readonly auditor: Auditor;
  private readonly recordSweep: RecordSweep;
  private readonly readers = new Set<RedisLaneReader>();

  private constructor(
    private readonly config: ResolvedConfig,
    private readonly caller: RedisCaller,
    private readonly keys: StoreKeys,
    private readonly description: StorageDescription,
  ) {
    this.runs = new RedisRunStore(caller, keys, config.random);
    this.inspector = new RedisInspector(caller, keys, config);
    this.registry = new RedisRegistry(caller, keys);
    this.bells = new RedisBells(caller.topology, keys);
    this.auditor = new Auditor(caller, keys, config.random);
    this.recordSweep = new RecordSweep(caller, keys, config.random);
  }

  /**
   * Connects, checks the servers and the namespace.
   * @throws ConfigurationError when the configuration, the credentials, a server or the namespace does not fit;
   * StoreUnavailable when Redis does not answer within `giveUpMs`
   */
  static async open(config: RedisStorageConfig): Promise<RedisStorage> {
    const resolved = resolveConfig(config);
    const probe = connect(resolved, resolved.partitions ?? DEFAULT_PARTITIONS);
    try {
      const servers = await readServers(probe);
      const warnings = [...new Set(servers.flatMap(judgeServer))];
      const partitions = await openNamespace(probe, resolved);
      const caller = partitions === probe.keys.partitions ? probe : connect(resolved, partitions);
      if (caller !== probe) probe.caller.topology.close();
      const { namespace, servers: reached } = resolved;
      return new RedisStorage(resolved, caller.caller, caller.keys, { namespace, partitions, topology: reached.kind, servers, warnings });
    } catch (error) {
      probe.caller.topology.close();
      throw credentialsRefused(error) ?? error;
    }
  }

  /** Delivers the activations of some lanes. Close it, or close the storage. */
  lanes(lanes: readonly Lane[]): RedisLaneReader {
    const reader = new RedisLaneReader(this.caller, this.keys, lanes, this.config.clock, (closed) => void this.readers.delete(closed));
    this.readers.add(reader);
    return reader;
  }

  /** Looks at about 200 unfinished records, further ones each time, and mends what disagrees with them. */
  sweepRecords(): Promise<SweptRecord[]> {
    return this.recordSweep.sweep();
  }

  /** Proves that every server takes writes. @throws StoreUnavailable */
  async ping(): Promise<void> {
    const partitions = await this.caller.onePartitionOfEachServer();
    await Promise.all(
      partitions.map((partition) => this.caller.command(partition, ['SET', this.keys.probe(partition), '1', 'PX', PROBE_MS])),
    );
  }

  describe(): StorageDescription {
    return this.description;
  }

  /** Waits up to 1 s for calls under way, then ends every connection, whatever Redis does. Later calls throw `StoreUnavailable`. */
  async close(): Promise<void> {
    const deadline = this.config.clock.monotonic() + CLOSE_GRACE_MS;
    this.bells.close();
    this.inspector.close();
    // What this turn still has to say is under way after it.
    await new Promise<void>((resolve) => void setImmediate(resolve));
    while (this.caller.underWay > 0 && this.config.clock.monotonic() < deadline) {
      await new Promise<void>((resolve) => void this.config.clock.after(CLOSE_POLL_MS, resolve));
    }
    this.caller.topology.close();
    await Promise.all([...this.readers].map((reader) => reader.close()));
  }
}

interface Connected {
  readonly caller: RedisCaller;
  readonly keys: StoreKeys;
}

function connect(config: ResolvedConfig, partitions: number): Connected {
  const keys = new StoreKeys(config.namespace, partitions);
  return { keys, caller: new RedisCaller(topologyOf(config, keys), config) };
}

function topologyOf(config: ResolvedConfig, keys: StoreKeys): Topology {
  if (config.servers.kind !== 'cluster') return new SingleTopology(config, keys.partitions);
  return new ClusterTopology(
    config,
    Array.from({ length: keys.partitions }, (_, partition) => keys.prefix(partition)),
  );
}

async function readServers({ caller }: Connected): Promise<ServerFacts[]> {
  const partitions = await caller.onePartitionOfEachServer();
  return Promise.all(partitions.map((partition) => readServerFacts(caller, partition)));
}

/** Answers the number of partitions of the namespace, which the first who opened it fixed. */
async function openNamespace({ caller, keys }: Connected, config: ResolvedConfig): Promise<number> {
  const wanted = config.partitions ?? DEFAULT_PARTITIONS;
  const call = { name: 'openNamespace', script: scripts.openNamespace, partition: 0, keys: [keys.meta], args: [FORMAT, wanted] };
  const [format, stored] = (await caller.script(call)) as readonly string[];
  const problems: string[] = [];
  if (format !== FORMAT) problems.push(`namespace ${config.namespace} has format ${format}; this version knows format ${FORMAT}`);
  if (config.partitions !== null && Number(stored) !== config.partitions) {
    problems.push(
      `namespace ${config.namespace} was made with ${stored} partitions, not ${config.partitions}; the number cannot be changed`,
    );
  }
  if (problems.length > 0) throw new ConfigurationError(problems);
  return Number(stored);
}

/** Redis refused user name or password: that is configuration, and trying again would not help. */
function credentialsRefused(error: unknown): ConfigurationError | null {
  const reason = error instanceof StoreUnavailable && error.cause instanceof Error ? error.cause.message : '';
  const refusal = /(WRONGPASS|NOAUTH)[^:]*/.exec(reason)?.[0];
  return refusal === undefined ? null : new ConfigurationError([`Redis refused the user name or password: ${refusal}`]);
}
