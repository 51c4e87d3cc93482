import {
  assertNamespace,
  type Bells,
  type Clock,
  type Inspector,
  InvalidInput,
  type Lane,
  type LaneReader,
  type Randomness,
  type RunStore,
  systemClock,
  systemRandomness,
  type WorkerRegistry,
} from '@millrace/durable';
import { checkMemoryInvariants } from './memory-invariants.js';
import { type AfterLoss, MemoryFaults, type StoreMethod } from './memory-faults.js';
import { MemoryInspector } from './memory-inspector.js';
import { MemoryLaneReader } from './memory-lane-reader.js';
import { MemoryRegistry } from './memory-registry.js';
import { MemoryRunStore } from './memory-run-store.js';
import { MemoryServer, type MemorySnapshot } from './memory-server.js';

export interface MemoryStorageOptions {
  /** @defaultValue 'memory' */
  readonly namespace?: string;
  /** 1–4,096, as in Redis: it decides which runs share a pump's limit. @defaultValue 16 */
  readonly partitions?: number;
  /** Its wall clock is the server's time. @defaultValue the clock of this process */
  readonly clock?: Clock;
  /** @defaultValue randomness of this process */
  readonly random?: Randomness;
}

const MOST_PARTITIONS = 4_096;

/**
 * A store in this process: the executable model of the Redis store, for tests and trials. Nothing outlives the process.
 * One storage is one client; {@link connect} makes further clients of the same data.
 */
export class MemoryStorage {
  readonly runs: RunStore;
  readonly inspector: Inspector;
  readonly registry: WorkerRegistry;
  readonly bells: Bells;
  /** Faults between this client and the store. */
  readonly faults = new MemoryFaults();

  private constructor(
    /** What all clients share. */
    readonly server: MemoryServer,
    private readonly clock: Clock,
    private readonly random: Randomness,
  ) {
    this.runs = new MemoryRunStore(server, this.faults, random);
    this.inspector = new MemoryInspector(server);
    this.registry = new MemoryRegistry(server);
    this.bells = {
      async listen(owner, onBell) {
        const unsubscribe = server.bellsOf(owner).add(onBell);
        return { close: async () => unsubscribe() };
      },
    };
  }

  /** @throws InvalidInput when the namespace or the number of partitions is not valid */
  static async open(options: MemoryStorageOptions = {}): Promise<MemoryStorage> {
    const { namespace = 'memory', partitions = 16, clock = systemClock, random = systemRandomness } = options;
    assertNamespace(namespace);
    assertPartitions(partitions);
    return new MemoryStorage(new MemoryServer(namespace, partitions, clock), clock, random);
  }

  /** Another client of the same data, with faults of its own. */
  async connect(): Promise<MemoryStorage> {
    return new MemoryStorage(this.server, this.clock, this.random);
  }

  lanes(lanes: readonly Lane[]): LaneReader {
    return new MemoryLaneReader(this.server, lanes, this.clock);
  }

  async ping(): Promise<void> {}

  /** This client's calls throw `StoreUnavailable` from now on. The data stays with the other clients. */
  async close(): Promise<void> {
    this.faults.goDown();
  }

  /** Short for `faults.loseReply`. */
  loseReply(method: StoreMethod, then?: AfterLoss): void {
    this.faults.loseReply(method, then);
  }

  /** A copy of all data, for {@link restore}. */
  snapshot(): MemorySnapshot {
    return this.server.snapshot();
  }

  /** Loses the writes since the snapshot, for all clients. */
  restore(snapshot: MemorySnapshot): void {
    this.server.restore(snapshot);
  }

  /** @throws Error naming every record that breaks an invariant of the store */
  checkInvariants(): void {
    checkMemoryInvariants(this.server);
  }
}

function assertPartitions(partitions: number): void {
  if (!Number.isInteger(partitions) || partitions < 1 || partitions > MOST_PARTITIONS) {
    throw new InvalidInput('storage options', [
      { path: 'partitions', message: `must be a whole number from 1 to ${MOST_PARTITIONS}, not ${partitions}` },
    ]);
  }
}
