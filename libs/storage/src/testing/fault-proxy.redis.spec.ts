import { afterEach, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { startFaultProxy, type FaultProxy } from './fault-proxy.js';
import { rawCommand } from './raw-command.js';
import { testNamespace } from './test-namespace.js';
import { tracked } from './tracked.js';
import { waitUntil } from './wait-until.js';

const track = tracked(afterEach);
const server = { port: Number(new URL(process.env['MILLRACE_TEST_REDIS_URL'] ?? '').port) };
const isRpush = (request: Buffer): boolean => request.includes('rpush');

describe('startFaultProxy', () => {
  it('passes everything on while nothing is armed', async () => {
    const client = await connectThrough(await track(startFaultProxy({ target: server })));
    const key = testNamespace('proxy');
    const large = 'x'.repeat(3 * 1024 * 1024);
    await client.set(key, large);
    await expect(client.get(key)).resolves.toBe(large);
  });

  it('loses the reply of a request that was carried out', async () => {
    const proxy = await track(startFaultProxy({ target: server }));
    const client = await connectThrough(proxy);
    const key = testNamespace('proxy');
    const fault = proxy.dropReplies(isRpush);
    await expect(client.rpush(key, 'a')).rejects.toThrow(/clos|retries|reset/i);
    await fault.firstLost;
    expect(fault.count).toBe(1);
    await expect(rawCommand(server, 'LLEN', key)).resolves.toBe('1');
  });

  it('fires once for a predicate, as often as told otherwise', async () => {
    const proxy = await track(startFaultProxy({ target: server }));
    const client = await connectThrough(proxy);
    const key = testNamespace('proxy');
    const fault = proxy.dropReplies(isRpush, { times: 2 });
    await expect(client.rpush(key, 'a')).rejects.toThrow(/clos|retries|reset/i);
    await expect(client.rpush(key, 'b')).rejects.toThrow(/clos|retries|reset/i);
    await expect(client.rpush(key, 'c')).resolves.toBe(3);
    expect(fault.count).toBe(2);
  });

  it('loses the replies of the next n requests', async () => {
    const proxy = await track(startFaultProxy({ target: server }));
    const fault = proxy.dropReplies(2);
    const throughProxy = { port: proxy.port };
    await expect(rawCommand(throughProxy, 'PING')).rejects.toThrow('connection closed');
    await expect(rawCommand(throughProxy, 'PING')).rejects.toThrow('connection closed');
    await expect(rawCommand(throughProxy, 'PING')).resolves.toBe('PONG');
    expect(fault.count).toBe(2);
  });

  it('lets what was sent before the doomed request be carried out too', async () => {
    const proxy = await track(startFaultProxy({ target: server }));
    const client = await connectThrough(proxy);
    const key = testNamespace('proxy');
    const fault = proxy.dropReplies((request) => request.includes('\r\n49\r\n'));
    const sent = Array.from({ length: 50 }, (_, index) => client.rpush(key, String(index)));
    const settled = await Promise.allSettled(sent);
    expect(settled.at(-1)?.status).toBe('rejected');
    expect(fault.count).toBe(1);
    await expect(rawCommand(server, 'LLEN', key)).resolves.toBe('50');
  });

  it('loses what a blocked read was delivered', async () => {
    const proxy = await track(startFaultProxy({ target: server }));
    const client = await connectThrough(proxy);
    const key = testNamespace('proxy');
    const fault = proxy.dropReplies((request) => request.includes('blpop'));
    const blocked = client.blpop(key, 10);
    await waitUntil({ name: 'the blocked read to arrive' }, async () => (await rawCommand(server, 'CLIENT', 'LIST')).includes('cmd=blpop'));
    await rawCommand(server, 'RPUSH', key, 'a');
    await expect(blocked).rejects.toThrow(/clos|retries|reset/i);
    await fault.firstLost;
    await expect(rawCommand(server, 'LLEN', key)).resolves.toBe('0');
  });

  it('cuts every connection and takes new ones', async () => {
    const proxy = await track(startFaultProxy({ target: server }));
    const client = await connectThrough(proxy);
    const cut = new Promise<void>((resolve) => client.once('close', resolve));
    proxy.cutAll();
    await cut;
    await expect(client.ping()).resolves.toBe('PONG');
  });

  it('holds everything back while stalled and lets it flow when healed', async () => {
    const proxy = await track(startFaultProxy({ target: server }));
    const client = await connectThrough(proxy);
    const key = testNamespace('proxy');
    proxy.stall();
    const held = client.set(key, 'late');
    await expect(rawCommand({ port: proxy.port, timeoutMs: 200 }, 'PING')).rejects.toThrow('no reply');
    await expect(rawCommand(server, 'GET', key)).resolves.toBe('');
    expect(client.status).toBe('ready');
    proxy.heal();
    await expect(held).resolves.toBe('OK');
    await expect(rawCommand(server, 'GET', key)).resolves.toBe('late');
  });

  it('disarms a fault when healed', async () => {
    const proxy = await track(startFaultProxy({ target: server }));
    const fault = proxy.dropReplies(() => true, { times: Infinity });
    await expect(rawCommand({ port: proxy.port }, 'PING')).rejects.toThrow('connection closed');
    proxy.heal();
    await expect(rawCommand({ port: proxy.port }, 'PING')).resolves.toBe('PONG');
    expect(fault.count).toBe(1);
  });

  it('cuts a client whose server cannot be reached', async () => {
    const proxy = await track(startFaultProxy({ target: { port: 1 } }));
    await expect(rawCommand({ port: proxy.port }, 'PING')).rejects.toThrow(/clos|retries|reset/i);
  });

  it('keeps no connection after its clients left', async () => {
    const proxy = await track(startFaultProxy({ target: server }));
    await rawCommand({ port: proxy.port }, 'PING');
    await waitUntil({ name: 'the proxied connection to be gone' }, () => proxy.connections === 0);
    await proxy.close();
    await expect(rawCommand({ port: proxy.port }, 'PING')).rejects.toThrow('ECONNREFUSED');
  });
});

/** A client that never repeats by itself, so that each request is seen by the proxy once. */
async function connectThrough(proxy: FaultProxy): Promise<Redis> {
  const client = new Redis(proxy.url, { maxRetriesPerRequest: 0, retryStrategy: () => 10, lazyConnect: true });
  client.on('error', () => undefined); // The errors that matter reject the call they belong to.
  await track({ close: () => client.disconnect() });
  await client.connect();
  return client;
}
