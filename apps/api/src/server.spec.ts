import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { systemClock, systemRandomness } from '@millrace/durable';
import { createPayloadCodec, MemoryStorage } from '@millrace/storage';
import { tracked, waitUntil } from '@millrace/storage/testing';
import { loadConfig } from './config/config.js';
import { createLogger } from './logging/logger.js';
import type { ApiStorage } from './namespaces/api-storage.js';
import { type ApiServer, startServer } from './server.js';
import { announcement } from './testing/api-harness.js';
import { withInspector } from './testing/wrapped-storage.js';

const track = tracked(afterEach);

async function serve(
  env: Readonly<Record<string, string>> = {},
  wrap: (storage: MemoryStorage) => ApiStorage = (storage) => storage,
): Promise<{ server: ApiServer }> {
  const config = loadConfig({ MILLRACE_PORT: '0', MILLRACE_LOG_LEVEL: 'silent', MILLRACE_GRACE: '5s', ...env });
  const storage = await MemoryStorage.open({ namespace: 'default' });
  await storage.registry.announceWorkflows([announcement('any')]);
  const codec = createPayloadCodec();
  const onFatal = (error: Error) => {
    throw error;
  };
  const deps = {
    config,
    codec,
    clock: systemClock,
    random: systemRandomness,
    logger: createLogger(config),
    openStorage: async () => wrap(storage),
    onFatal,
  };
  return { server: await track(startServer(deps)) };
}

/** Reads an answer to its end; resolves twice: when it begins, and with its text when it is over. */
async function open(url: string, headers: Readonly<Record<string, string>> = {}) {
  const call = request(url, { headers, agent: false });
  call.end();
  const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) =>
    call.on('response', resolve).on('error', reject),
  );
  response.setEncoding('utf8');
  let text = '';
  response.on('data', (chunk: string) => {
    text += chunk;
  });
  const ended = new Promise<string>((resolve) => response.on('close', () => resolve(text)));
  return { status: response.statusCode, ended, leave: () => call.destroy(), text: () => text };
}

const submit = (url: string, runId: string) =>
  fetch(`${url}/v1/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ workflow: 'any', runId }),
  });

describe('a server that stops', () => {
  it('ends 50 event streams with a hint and answers 50 long polls, far within its grace (B61)', async () => {
    let reads = 0;
    const { server } = await serve({}, (storage) =>
      withInspector(storage, {
        getRun: (runId) => {
          reads += 1;
          return storage.inspector.getRun(runId);
        },
      }),
    );
    expect((await submit(server.url, 'r')).status).toBe(202);
    const streams = await Promise.all(Array.from({ length: 50 }, () => open(`${server.url}/v1/runs/r/events`)));
    const polls = Array.from({ length: 50 }, async () => (await fetch(`${server.url}/v1/runs/r?wait=60s`)).json());
    await Promise.all(streams.map((stream) => waitUntil({ name: 'a status event' }, () => stream.text().includes('event: status'))));
    await waitUntil({ name: 'all to be under way' }, () => reads === 100);
    const startedAt = systemClock.monotonic();
    expect(await server.stop()).toBe(true);
    expect(systemClock.monotonic() - startedAt).toBeLessThan(2_000);
    for (const stream of streams) expect(await stream.ended).toContain('retry: 1000\n: the service stops');
    for (const poll of polls) expect(await poll).toMatchObject({ runId: 'r', status: 'queued' });
    await expect(fetch(`${server.url}/health/live`)).rejects.toThrow('fetch failed');
  });

  it('cuts what does not end in the grace period', async () => {
    let isUnderWay = false;
    const hang = (storage: MemoryStorage) =>
      withInspector(storage, {
        list: () => {
          isUnderWay = true;
          return new Promise(() => {});
        },
      });
    const { server } = await serve({ MILLRACE_GRACE: '100ms' }, hang);
    const cut = fetch(`${server.url}/v1/runs`).then(
      () => 'answered',
      () => 'cut',
    );
    await waitUntil({ name: 'the request to be under way' }, () => isUnderWay);
    const startedAt = systemClock.monotonic();
    expect(await server.stop()).toBe(false);
    expect(systemClock.monotonic() - startedAt).toBeLessThan(2_100);
    expect(await cut).toBe('cut');
  });

  it('waits for no connection on which nobody asks for anything', async () => {
    const { server } = await serve();
    const ahead = connect({ port: Number(new URL(server.url).port), host: '127.0.0.1' });
    const closed = once(ahead, 'close');
    ahead.on('error', () => {});
    await once(ahead, 'connect');
    // Accepted for certain: the server answers in the order in which connections came.
    await (await fetch(`${server.url}/health/live`)).text();
    expect(await server.stop()).toBe(true);
    await closed;
  });

  it('says which address it cannot have', async () => {
    const { server } = await serve();
    const port = new URL(server.url).port;
    await expect(serve({ MILLRACE_PORT: port })).rejects.toThrow('EADDRINUSE');
  });
});

describe('a client that leaves', () => {
  it('leaves no subscription behind, whenever it goes (B125)', async () => {
    let feeds = 0;
    const { server } = await serve({}, (storage) =>
      withInspector(storage, {
        watch: async (onEvent) => {
          const feed = await storage.inspector.watch(onEvent);
          feeds += 1;
          return {
            close: async () => {
              feeds -= 1;
              await feed.close();
            },
          };
        },
      }),
    );
    await submit(server.url, 'r');
    const streams = Array.from({ length: 60 }, async (_, index) => {
      const call = request(`${server.url}/v1/runs/r/events`, { agent: false });
      call.on('error', () => {});
      const gone = new Promise<void>((resolve) => call.on('close', resolve));
      // Some before the request is read, some in the middle of the set-up, some after the first bytes.
      if (index % 3 === 0) call.on('socket', (socket) => socket.on('connect', () => call.destroy()));
      if (index % 3 === 1) call.on('finish', () => setImmediate(() => call.destroy()));
      if (index % 3 === 2) call.on('response', () => call.destroy());
      call.end();
      await gone;
    });
    await Promise.all(streams);
    await waitUntil({ name: 'the feed to be closed', limitMs: 8_000 }, () => feeds === 0);
    expect(await server.stop()).toBe(true);
  });
});
