import type { RedisCaller } from './connection/redis-caller.js';
import type { StoreKeys } from './keys.js';

/** The workflows that have an index in each partition. Remembered, because lists need them for their keys and they hardly change. */
export class KnownWorkflows {
  private names: ReadonlyArray<ReadonlySet<string>> = [];

  constructor(
    private readonly caller: RedisCaller,
    private readonly keys: StoreKeys,
  ) {}

  /** As of the last look. */
  of(partition: number): ReadonlySet<string> {
    return this.names[partition] ?? new Set();
  }

  get isKnown(): boolean {
    return this.names.length > 0;
  }

  /** Looks again; answers whether a workflow has come. */
  async refresh(): Promise<boolean> {
    const partitions = Array.from({ length: this.keys.partitions }, (_, partition) => partition);
    const found = await Promise.all(
      partitions.map(
        async (partition) => new Set((await this.caller.command(partition, ['SMEMBERS', this.keys.names(partition)])) as string[]),
      ),
    );
    const hasNew = found.some((names, partition) => [...names].some((name) => !this.of(partition).has(name)));
    this.names = found;
    return hasNew;
  }
}
