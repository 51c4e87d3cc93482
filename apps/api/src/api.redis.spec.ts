import { afterEach, describe, expect, it } from '@jest/globals';
import { systemClock, systemRandomness } from '@millrace/durable';
import { createPayloadCodec, RedisStorage } from '@millrace/storage';
import { startFaultProxy, startRedis, testNamespace, tracked, waitUntil } from '@millrace/storage/testing';
import { loadConfig } from './config/config.js';
import { createLogger } from './logging/logger.js';
import { type ApiServer, startServer } from './server.js';
import { announcement } from './testing/api-harness.js';

const track = tracked(afterEach);

/** An API on the Redis at `url`, on a socket of its own. */
function serve(url: string, namespace = testNamespace('api')): Promise<ApiServer> {
  const config = loadConfig({
    MILLRACE_PORT: '0',
    MILLRACE_LOG_LEVEL: 'silent',
    MILLRACE_GRACE: '2s',
    MILLRACE_NAMESPACE: namespace,
    MILLRACE_REDIS_URL: url,
  });
  const onFatal = (error: Error) => {
    throw error;
  };
  const openStorage = async (name: string) => {
    const storage = await RedisStorage.open({ url, namespace: name, partitions: config.partitions });
    await storage.registry.announceWorkflows([announcement('any')]);
    return storage;
  };
  return track(
    startServer({
      config,
      codec: createPayloadCodec(),
      clock: systemClock,
      random: systemRandomness,
      logger: createLogger(config),
      openStorage,
      onFatal,
    }),
  );
}

const submit = (url: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${url}/v1/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ workflow: 'any', ...body }),
  });
const isReady = async (url: string) => (await fetch(`${url}/health/ready`)).status === 200;
const untilReady = (url: string) => waitUntil({ name: 'the API to be ready', limitMs: 15_000, pollMs: 100 }, () => isReady(url));

describe('the API on Redis', () => {
  it('serves all verbs', async () => {
    const { url } = await serve(process.env['MILLRACE_TEST_REDIS_URL'] ?? '');
    await untilReady(url);
    expect((await submit(url, { runId: 'a:in:x', input: { n: [] } })).status).toBe(202);
    const path = `${url}/v1/runs/a:in:x`;
    expect(await (await fetch(path)).json()).toMatchObject({ status: 'queued', input: { n: [] } });
    expect(await (await fetch(`${url}/v1/runs?status=queued`)).json()).toMatchObject({ runs: [{ runId: 'a:in:x' }], cursor: null });
    expect(await (await fetch(`${url}/v1/counts`)).json()).toEqual({ counts: [{ workflow: 'any', status: 'active', count: 1 }] });
    expect(await (await fetch(`${path}/steps`)).json()).toEqual({ steps: [], cursor: null });
    const waiting = fetch(`${path}?wait=20s`);
    const events = fetch(`${path}/events`);
    expect(await (await fetch(`${path}/cancel`, { method: 'POST' })).json()).toMatchObject({ outcome: 'cancelled' });
    expect(await (await waiting).json()).toMatchObject({ status: 'cancelled' });
    expect(await (await events).text()).toContain('event: end');
  });

  it('starts one run for one key over two API processes (B121)', async () => {
    const namespace = testNamespace('api');
    const redisUrl = process.env['MILLRACE_TEST_REDIS_URL'] ?? '';
    const [one, two] = await Promise.all([serve(redisUrl, namespace), serve(redisUrl, namespace)]);
    await Promise.all([untilReady(one.url), untilReady(two.url)]);
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        submit(index % 2 === 0 ? one.url : two.url, { input: index % 3 === 0 ? 'x' : 'y' }, { 'idempotency-key': 'K' }),
      ),
    );
    const bodies = (await Promise.all(answers.map((answer) => answer.json()))) as Array<{ runId: string }>;
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    expect(new Set(bodies.map(({ runId }) => runId)).size).toBe(1);
    expect(await (await fetch(`${one.url}/v1/runs`)).json()).toMatchObject({ runs: [{ runId: bodies[0]?.runId }], cursor: null });
  });
});

describe('a Redis that hangs', () => {
  it('makes 503 within 5 s, not ready, kills nothing, and all is well when it goes on (B44)', async () => {
    const redis = await track(startRedis());
    const { url } = await serve(redis.url);
    await untilReady(url);
    await submit(url, { runId: 'before' });
    await redis.pause();
    const startedAt = systemClock.monotonic();
    const answers = await Promise.all([
      ...Array.from({ length: 20 }, (_, index) => submit(url, { input: index }, { 'idempotency-key': `K${index}` })),
      fetch(`${url}/v1/runs/before`),
      fetch(`${url}/v1/runs/before?wait=20s`),
      fetch(`${url}/v1/runs/before/events`),
    ]);
    expect(systemClock.monotonic() - startedAt).toBeLessThan(7_000);
    for (const answer of answers) {
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
      expect(await answer.json()).toMatchObject({ code: 'store_unavailable' });
    }
    expect(await isReady(url)).toBe(false);
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    redis.resume();
    await untilReady(url);
    for (let index = 0; index < 20; index += 1) {
      const again = await submit(url, { input: index }, { 'idempotency-key': `K${index}` });
      expect([200, 202]).toContain(again.status);
    }
    const { runs } = (await (await fetch(`${url}/v1/runs?limit=200`)).json()) as { runs: unknown[] };
    expect(runs).toHaveLength(21);
  });

  it('does not hold up a stop (B59)', async () => {
    const redis = await track(startRedis());
    const server = await serve(redis.url);
    await untilReady(server.url);
    await redis.pause();
    const underWay = Promise.allSettled([submit(server.url, {}), fetch(`${server.url}/v1/runs`)]);
    const startedAt = systemClock.monotonic();
    await server.stop();
    expect(systemClock.monotonic() - startedAt).toBeLessThan(4_000);
    await underWay;
  });
});

describe('a Redis that is not there', () => {
  it('lets the API start, and come to life by itself when it comes back (B67, B71)', async () => {
    const redis = await track(startRedis());
    await redis.kill();
    const { url } = await serve(redis.url);
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    expect(await isReady(url)).toBe(false);
    expect((await submit(url, {})).status).toBe(503);
    await redis.restart();
    await untilReady(url);
    expect((await submit(url, {})).status).toBe(202);
  });
});

describe('connections that break', () => {
  it('never gives a caller what another asked for (B65)', async () => {
    const redis = await track(startRedis());
    const proxy = await track(startFaultProxy({ target: { port: redis.port } }));
    const { url } = await serve(proxy.url);
    await untilReady(url);
    const ids = Array.from({ length: 40 }, (_, index) => `run-${index}`);
    for (const runId of ids) expect((await submit(url, { runId, input: runId })).status).toBe(202);
    for (let round = 0; round < 10; round += 1) {
      const reads = ids.map(async (runId) => [runId, await (await fetch(`${url}/v1/runs/${runId}`)).json()] as const);
      setImmediate(() => proxy.cutAll());
      for (const [runId, body] of await Promise.all(reads)) {
        const { code, input } = body as { code?: string; input?: string };
        expect(code ?? input).toBe(code === undefined ? runId : 'store_unavailable');
      }
    }
  });
});
