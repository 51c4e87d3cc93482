import { afterEach, describe, expect, it } from '@jest/globals';
import { rawCommand, startReplicatedRedis, testNamespace, tracked } from '../testing/index.js';
import type { RedisStorageConfig } from './connection/configuration.js';
import { RedisStorage } from './redis-storage.js';

const track = tracked(afterEach);
const lane = { queue: 'default', workflow: 'fulfil-order', version: 1 };

describe('a master that sentinels name', () => {
  it('is followed to the server that takes its place', async () => {
    const redis = await track(startReplicatedRedis());
    const open = (servers: RedisStorageConfig): Promise<RedisStorage> =>
      track(RedisStorage.open({ ...servers, namespace: testNamespace(), giveUpMs: 20_000 }));
    const storages = [await open({ url: redis.url }), await open({ sentinels: [redis.sentinel], name: redis.masterName })];
    for (const storage of storages) {
      expect(storage.describe()).toMatchObject({ topology: 'sentinel' });
      await storage.runs.submit([{ runId: 'before', lane, input: '1', digest: 'd', requestId: 'r1' }]);
    }
    await redis.replicated();
    await redis.loseMaster();
    for (const storage of storages) {
      const [answer] = await storage.runs.submit([{ runId: 'after', lane, input: '1', digest: 'd', requestId: 'r2' }]);
      expect(answer).toMatchObject({ outcome: 'created' });
      expect(await storage.inspector.getProgress('before')).toMatchObject({ status: 'queued' });
    }
    expect((await rawCommand(redis.second, 'INFO', 'keyspace')).includes('keys=')).toBe(true);
  }, 90_000);
});
