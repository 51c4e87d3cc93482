import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { rawCommand } from './raw-command.js';
import { startRedis } from './redis-server.js';
import { tracked } from './tracked.js';

const track = tracked(afterEach);

describe('the shared server of the redis specs', () => {
  it('has its address in the environment and answers', async () => {
    const url = new URL(process.env['MILLRACE_TEST_REDIS_URL'] ?? '');
    expect(url.hostname).toBe('127.0.0.1');
    await expect(rawCommand({ port: Number(url.port) }, 'PING')).resolves.toBe('PONG');
  });
});

describe('startRedis', () => {
  it('answers with its own process, set to keep every write', async () => {
    const redis = await track(startRedis());
    expect(redis.url).toBe(`redis://127.0.0.1:${redis.port}`);
    await expect(rawCommand(redis, 'INFO', 'server')).resolves.toContain(`process_id:${redis.pid}\r\n`);
    await expect(configOf(redis.url)).resolves.toMatchObject({
      appendonly: 'yes',
      appendfsync: 'always',
      save: '',
      'auto-aof-rewrite-percentage': '0',
      'maxmemory-policy': 'noeviction',
      bind: '127.0.0.1',
    });
  });

  it('takes fsync policy and arguments of the caller', async () => {
    const redis = await track(startRedis({ appendfsync: 'everysec', args: ['--maxclients', '77'] }));
    await expect(configOf(redis.url)).resolves.toMatchObject({ appendfsync: 'everysec', maxclients: '77' });
  });

  it('is up as soon as it asks for a password', async () => {
    const redis = await track(startRedis({ args: ['--requirepass', 'secret'] }));
    await expect(rawCommand(redis, 'PING')).rejects.toThrow('NOAUTH');
  });

  it('gives servers started at once a port each', async () => {
    const servers = await Promise.all(Array.from({ length: 6 }, () => track(startRedis())));
    expect(new Set(servers.map(({ port }) => port)).size).toBe(6);
  });

  it('finds its data again after kill -9 and restart, on the same port', async () => {
    const redis = await track(startRedis());
    const { port, pid } = redis;
    await rawCommand(redis, 'SET', 'kept', 'yes');
    await redis.kill();
    await expect(rawCommand({ port }, 'PING')).rejects.toThrow('ECONNREFUSED');
    await redis.restart();
    expect(redis.port).toBe(port);
    expect(redis.pid).not.toBe(pid);
    await expect(rawCommand(redis, 'GET', 'kept')).resolves.toBe('yes');
  });

  it('restarts a running server in good order', async () => {
    const redis = await track(startRedis());
    await rawCommand(redis, 'SET', 'kept', 'yes');
    await redis.restart();
    await expect(rawCommand(redis, 'GET', 'kept')).resolves.toBe('yes');
  });

  it('answers nothing between pause and resume', async () => {
    const redis = await track(startRedis());
    await redis.pause();
    await expect(rawCommand({ port: redis.port, timeoutMs: 200 }, 'PING')).rejects.toThrow('no reply');
    redis.resume();
    await expect(rawCommand(redis, 'PING')).resolves.toBe('PONG');
  });

  it('stops even when paused, removes the folder it made, and does not come back', async () => {
    const redis = await startRedis();
    await redis.pause();
    await redis.stop();
    expect(existsSync(redis.dir)).toBe(false);
    await expect(rawCommand(redis, 'PING')).rejects.toThrow('ECONNREFUSED');
    await expect(redis.restart()).rejects.toThrow('does not restart');
  });

  it('leaves a folder of the caller in place', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'millrace-own-'));
    const redis = await startRedis({ dir });
    await redis.stop();
    expect(existsSync(dir)).toBe(true);
    await rm(dir, { recursive: true });
  });

  it('fails with the log of the server when it cannot start', async () => {
    await expect(startRedis({ args: ['--no-such-setting', '1'] })).rejects.toThrow('no-such-setting');
  });

  it('does not take the server of somebody else for its own', async () => {
    const other = await track(startRedis());
    await expect(startRedis({ port: other.port })).rejects.toThrow('Address already in use');
    await expect(rawCommand(other, 'PING')).resolves.toBe('PONG');
  });

  it('says so when a port given by the caller is taken by something silent', async () => {
    const blocker = createServer((socket) => socket.resume());
    await track({ close: () => new Promise<void>((resolve) => blocker.close(() => resolve())) });
    await new Promise<void>((resolve) => blocker.listen({ host: '127.0.0.1', port: 0 }, resolve));
    const { port } = blocker.address() as AddressInfo;
    await expect(startRedis({ port })).rejects.toThrow('Address already in use');
  });
});

async function configOf(url: string): Promise<Record<string, string>> {
  const client = new Redis(url, { protocol: 2 });
  await track({ close: () => client.disconnect() });
  const pairs = (await client.call('CONFIG', 'GET', '*')) as string[];
  return Object.fromEntries(pairs.flatMap((name, at) => (at % 2 === 0 ? [[name, pairs[at + 1] ?? '']] : [])));
}
