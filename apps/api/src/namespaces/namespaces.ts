import {
  type Clock,
  type Codec,
  type ConfigurationError,
  type EventSink,
  type Problem,
  type Randomness,
  RunClient,
  RunWatcher,
  type WorkflowAnnouncement,
} from '@millrace/durable';
import type { ApiStorage, OpenStorage } from './api-storage.js';
import { StorageSlot } from './storage-slot.js';

/** A namespace whose store is open. */
export interface OpenNamespace {
  readonly name: string;
  readonly storage: ApiStorage;
  readonly client: RunClient;
  readonly watcher: RunWatcher;
}

export interface NamespacesDeps {
  readonly names: readonly string[];
  readonly openStorage: OpenStorage;
  readonly codec: Codec;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly emit: EventSink;
  readonly validateInput: (workflow: WorkflowAnnouncement, input: unknown) => readonly Problem[];
  readonly onFatal: (error: ConfigurationError) => void;
}

/** The namespaces that this process serves, each with a store of its own. Nothing of one is reached through another. */
export class Namespaces {
  private readonly slots: ReadonlyMap<string, StorageSlot>;
  private readonly open = new Map<string, OpenNamespace>();

  constructor(private readonly deps: NamespacesDeps) {
    const { openStorage, clock, emit, onFatal } = deps;
    this.slots = new Map(
      deps.names.map((namespace) => [namespace, new StorageSlot({ namespace, open: openStorage, clock, emit, onFatal })]),
    );
  }

  /** Names served, open or not. */
  get names(): readonly string[] {
    return this.deps.names;
  }

  /** Begins to open every store; resolves after the first try of each. */
  async start(): Promise<void> {
    await Promise.all([...this.slots.values()].map((slot) => slot.start()));
  }

  /** @throws StoreUnavailable while its store is not open */
  get(name: string): OpenNamespace {
    const known = this.open.get(name);
    if (known !== undefined) return known;
    const slot = this.slots.get(name);
    if (slot === undefined) throw new Error(`namespace ${name} is not served`);
    const opened = this.build(name, slot.get());
    this.open.set(name, opened);
    return opened;
  }

  async close(): Promise<void> {
    await Promise.all([...this.open.values()].map(({ watcher }) => watcher.close()));
    await Promise.all([...this.slots.values()].map((slot) => slot.close()));
  }

  private build(name: string, storage: ApiStorage): OpenNamespace {
    const { codec, clock, random, emit, validateInput } = this.deps;
    const { runs, inspector, registry } = storage;
    const watcher = new RunWatcher({ inspector, clock, emit });
    const client = new RunClient({ namespace: name, runs, inspector, registry, codec, clock, random, watcher, validateInput });
    return { name, storage, client, watcher };
  }
}
