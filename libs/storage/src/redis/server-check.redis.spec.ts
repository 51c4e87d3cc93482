import { Redis } from 'ioredis';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ConfigurationError } from '@millrace/durable';
import { startRedis, testNamespace, tracked } from '../testing/index.js';
import { RedisStorage } from './redis-storage.js';
import { judgeServer } from './server-check.js';
import { sharedRedisUrl } from '../testing/conformance/redis-harness.js';

const track = tracked(afterEach);

describe('judgeServer', () => {
  const good = { version: '7.0.15', evictionPolicy: 'noeviction', isAppendOnly: true, appendFsync: 'always' };

  it('has nothing to say of a server that keeps every promise', () => {
    expect(judgeServer(good)).toEqual([]);
  });

  it.each(['6.2.14', '5.0.0', '0'])('refuses Redis %s', (version) => {
    expect(() => judgeServer({ ...good, version })).toThrow(`Redis ${version} is too old`);
  });

  it.each(['7.2.4', '8.0.0', '10.1.0'])('takes Redis %s', (version) => {
    expect(judgeServer({ ...good, version })).toEqual([]);
  });

  it('names every reason in one error', () => {
    expect(() => judgeServer({ ...good, version: '6.0.0', evictionPolicy: 'allkeys-lru' })).toThrow(/too old[\s\S]*allkeys-lru/);
  });

  it('warns of what weakens the promises', () => {
    expect(judgeServer({ ...good, isAppendOnly: false })).toEqual([expect.stringContaining('appendonly is off')]);
    expect(judgeServer({ ...good, appendFsync: 'everysec' })).toEqual([expect.stringContaining('up to 2 s')]);
    expect(judgeServer({ ...good, appendFsync: 'no' })).toEqual([expect.stringContaining('appendfsync is no')]);
    expect(judgeServer({ ...good, evictionPolicy: null, appendFsync: null })).toEqual([expect.stringContaining('must be noeviction')]);
  });
});

describe('RedisStorage.open', () => {
  it.each(['allkeys-lru', 'volatile-ttl'])('refuses a server that may evict: %s', async (policy) => {
    const server = await track(startRedis({ args: ['--maxmemory-policy', policy] }));
    const opening = RedisStorage.open({ url: server.url, namespace: testNamespace() });
    await expect(opening).rejects.toThrow(ConfigurationError);
    await expect(opening).rejects.toThrow(`maxmemory-policy ${policy} can drop runs`);
  });

  it('tells the warnings of its server', async () => {
    const server = await track(startRedis({ appendfsync: 'everysec' }));
    const storage = await track(RedisStorage.open({ url: server.url, namespace: testNamespace() }));
    expect(storage.describe()).toMatchObject({
      topology: 'standalone',
      servers: [{ version: expect.stringMatching(/^\d+\./), appendFsync: 'everysec' }],
    });
    expect(storage.describe().warnings).toEqual([expect.stringContaining('everysec')]);
  });

  it('reads what it can from a server that forbids CONFIG', async () => {
    const server = await track(startRedis({ args: ['--maxmemory-policy', 'allkeys-lru'] }));
    const raw = await track(new Redis(server.url));
    await raw.call('ACL', 'SETUSER', 'app', 'on', '>secret', '~*', '&*', '+@all', '-config');
    const opening = RedisStorage.open({ url: server.url, username: 'app', password: 'secret', namespace: testNamespace() });
    await expect(opening).rejects.toThrow('maxmemory-policy allkeys-lru');
  });

  it('fixes the number of partitions when a namespace is made', async () => {
    const namespace = testNamespace();
    const first = await track(RedisStorage.open({ url: sharedRedisUrl(), namespace, partitions: 4 }));
    expect(first.describe().partitions).toBe(4);
    const opening = RedisStorage.open({ url: sharedRedisUrl(), namespace, partitions: 8 });
    await expect(opening).rejects.toThrow(`namespace ${namespace} was made with 4 partitions, not 8`);
    await expect(opening).rejects.toThrow(ConfigurationError);
    const adopting = await track(RedisStorage.open({ url: sharedRedisUrl(), namespace }));
    expect(adopting.describe().partitions).toBe(4);
  });

  it('makes a namespace with 16 partitions when nobody wishes another number', async () => {
    const storage = await track(RedisStorage.open({ url: sharedRedisUrl(), namespace: testNamespace() }));
    expect(storage.describe().partitions).toBe(16);
  });

  it('refuses a namespace of another format', async () => {
    const namespace = testNamespace();
    const raw = await track(new Redis(sharedRedisUrl()));
    await raw.hset(`{${namespace}:0}:meta`, 'format', '2', 'partitions', '16');
    await expect(RedisStorage.open({ url: sharedRedisUrl(), namespace })).rejects.toThrow('has format 2; this version knows format 1');
  });
});
