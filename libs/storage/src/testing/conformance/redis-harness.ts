import { Redis } from 'ioredis';
import { testNamespace, waitUntil } from '../index.js';
import type { Harness, RecordFault } from './harness.js';
import type { RedisStorageConfig } from '../../redis/connection/configuration.js';
import { StoreKeys } from '../../redis/keys.js';
import { RedisStorage } from '../../redis/redis-storage.js';

/** Two clients of an empty namespace on a real server, and a plain connection to spoil it with. */
export interface RedisHarness extends Harness {
  readonly first: RedisStorage;
  readonly second: RedisStorage;
  readonly keys: StoreKeys;
  readonly raw: Redis;
  /** Every key of the namespace. */
  allKeys(): Promise<string[]>;
}

/** Address of the server that all specs share. */
export function sharedRedisUrl(): string {
  return process.env['MILLRACE_TEST_REDIS_URL'] ?? '';
}

/**
 * @param options.url server of the plain connection, and of both clients unless `first` names another way to it
 * @param options.namespace for a server of the spec's own; otherwise nobody else's
 * @param options.first configuration of the first client beside its namespace: a proxy, other time limits
 */
export async function openRedisHarness(
  options: Readonly<{ partitions?: number; url?: string; namespace?: string; first?: Partial<RedisStorageConfig> }> = {},
): Promise<RedisHarness> {
  const { partitions = 16, url = sharedRedisUrl(), namespace = testNamespace('redis') } = options;
  const raw = new Redis(url);
  // The servers of these specs go away on purpose; whoever needs this connection sees its calls fail.
  raw.on('error', () => undefined);
  const first = await RedisStorage.open({ url, namespace, partitions, ...options.first });
  const second = await RedisStorage.open({ url, namespace, partitions });
  return new OpenedHarness(first, second, new StoreKeys(namespace, partitions), raw);
}

class OpenedHarness implements RedisHarness {
  constructor(
    readonly first: RedisStorage,
    readonly second: RedisStorage,
    readonly keys: StoreKeys,
    readonly raw: Redis,
  ) {}

  async timePasses(ms: number): Promise<void> {
    const end = (await this.first.runs.now()) + ms;
    await waitUntil({ name: `${ms} ms of server time`, pollMs: 1 }, async () => (await this.first.runs.now()) >= end);
  }

  async breakRecord(runId: string, fault: RecordFault): Promise<void> {
    const key = this.keys.run(runId);
    if (fault === 'field-missing') await this.raw.hdel(key, 'S');
    else await this.raw.multi().del(key).set(key, 'no record').exec();
  }

  async snapshot(): Promise<() => Promise<void>> {
    const dumps = await Promise.all((await this.allKeys()).map(async (key) => ({ key, dump: await this.raw.dumpBuffer(key) })));
    return async () => {
      const present = await this.allKeys();
      if (present.length > 0) await this.raw.del(...present);
      for (const { key, dump } of dumps) if (dump !== null) await this.raw.restore(key, 0, dump);
    };
  }

  async allKeys(): Promise<string[]> {
    const found: string[] = [];
    let cursor = '0';
    do {
      const [next, page] = await this.raw.scan(cursor, 'MATCH', `{${this.keys.namespace}:*`, 'COUNT', 10_000);
      found.push(...page);
      cursor = next;
    } while (cursor !== '0');
    return found;
  }

  async close(): Promise<void> {
    await Promise.all([this.first.close(), this.second.close()]);
    this.raw.disconnect();
  }
}
