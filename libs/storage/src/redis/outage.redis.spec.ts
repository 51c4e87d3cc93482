import { afterEach, describe, expect, it } from '@jest/globals';
import { ConfigurationError, StoreUnavailable } from '@millrace/durable';
import { startFaultProxy, startRedis, testNamespace, tracked, waitUntil } from '../testing/index.js';
import { Bench } from '../testing/conformance/bench.js';
import { RedisStorage } from './redis-storage.js';
import { openRedisHarness, sharedRedisUrl } from '../testing/conformance/redis-harness.js';

const track = tracked(afterEach);
const sharedPort = (): number => Number(new URL(sharedRedisUrl()).port);

/** What a promise rejects with. */
async function failureOf(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => new Error('it did not fail'),
    (error: Error) => error,
  );
}

async function millisecondsOf(act: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await act();
  return performance.now() - startedAt;
}

describe('scripts that the server has forgotten', () => {
  it('are loaded again after SCRIPT FLUSH', async () => {
    const server = await track(startRedis());
    const harness = await track(openRedisHarness({ url: server.url }));
    const bench = new Bench(harness);
    const held = await bench.start();
    await harness.raw.script('FLUSH');
    await bench.apply(held, { writes: [['0', 'x']] });
    expect(await bench.journal(held.runId)).toEqual({ 0: 'x' });
  });

  it('are loaded again after a restart, and the claim goes on', async () => {
    const server = await track(startRedis());
    const harness = await track(openRedisHarness({ url: server.url }));
    const bench = new Bench(harness);
    const held = await bench.start();
    await server.kill();
    await server.restart();
    await bench.apply(held, { writes: [['0', 'x']] });
    expect(await bench.journal(held.runId)).toEqual({ 0: 'x' });
  });
});

describe('connections that are killed under load', () => {
  it('lose nothing and apply nothing twice', async () => {
    const server = await track(startRedis());
    const harness = await track(openRedisHarness({ url: server.url }));
    const bench = new Bench(harness);
    const requests = Array.from({ length: 2_000 }, (_, n) => bench.submission({ runId: `load-${n}` }));
    const submitting = Promise.all(requests.map((request) => bench.runs.submit([request])));
    for (let kill = 0; kill < 5; kill += 1) await harness.raw.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    const answers = await submitting;
    expect(answers.flat().filter(({ outcome }) => outcome !== 'created')).toEqual([]);
    expect((await bench.first.inspector.counts())[0]).toMatchObject({ status: 'active', count: 2_000 });
    expect(await harness.first.auditor.audit()).toEqual([]);
  });
});

describe('a server that refuses for a while', () => {
  it('READONLY: the call is repeated until the server is a master again', async () => {
    const server = await track(startRedis());
    const harness = await track(openRedisHarness({ url: server.url }));
    const bench = new Bench(harness);
    await harness.raw.replicaof('127.0.0.1', 1);
    const submitting = bench.submit();
    await expect(harness.raw.set('{x}probe', '1')).rejects.toThrow('READONLY');
    await harness.raw.replicaof('NO', 'ONE');
    expect((await submitting).outcome).toBe('created');
  });

  it('OOM: the call gives up with the reason, and works when there is room', async () => {
    const server = await track(startRedis());
    const harness = await track(openRedisHarness({ url: server.url, first: { giveUpMs: 200 } }));
    const bench = new Bench(harness);
    const { run } = await bench.submit();
    await harness.raw.config('SET', 'maxmemory', '1');
    const failure = await failureOf(bench.submit());
    expect(failure).toBeInstanceOf(StoreUnavailable);
    expect(String(failure.cause)).toContain('OOM');
    expect(await bench.head(run.runId)).toMatchObject({ status: 'queued' });
    await harness.raw.config('SET', 'maxmemory', '0');
    expect((await bench.submit()).outcome).toBe('created');
  });
});

describe('a server that hangs', () => {
  it('is given up within giveUpMs, and close returns', async () => {
    const server = await track(startRedis());
    const harness = await openRedisHarness({ url: server.url, first: { commandTimeoutMs: 200, giveUpMs: 700 } });
    const bench = new Bench(harness);
    await bench.submit();
    await server.pause();
    try {
      let failure: Error | undefined;
      const took = await millisecondsOf(async () => {
        failure = await failureOf(bench.submit());
      });
      expect(failure).toBeInstanceOf(StoreUnavailable);
      expect(took).toBeLessThan(1_200);
      expect(await millisecondsOf(() => harness.close())).toBeLessThan(2_000);
    } finally {
      server.resume();
    }
  });

  it('is given up with the default limits too, and the same call works when it goes on', async () => {
    const server = await track(startRedis());
    const harness = await track(openRedisHarness({ url: server.url }));
    const bench = new Bench(harness);
    const request = bench.submission();
    await server.pause();
    const took = await millisecondsOf(async () => {
      expect(await failureOf(bench.runs.submit([request]))).toBeInstanceOf(StoreUnavailable);
    });
    server.resume();
    expect(took).toBeLessThan(5_000);
    const [again] = await bench.runs.submit([request]);
    expect(again).toMatchObject({ outcome: 'created' });
    expect(await bench.deliverAll()).toHaveLength(1);
  });

  it('ends a blocking read whose connection is half open, at its block plus 2 s', async () => {
    const server = await track(startRedis());
    const proxy = await track(startFaultProxy({ target: { port: server.port } }));
    const harness = await track(openRedisHarness({ url: server.url, first: { url: proxy.url } }));
    const bench = new Bench(harness);
    const reader = bench.reader();
    const blocked = async (): Promise<boolean> => /blocked_clients:(\d+)/.exec(await harness.raw.info('clients'))?.[1] === '1';
    const waiting = failureOf(reader.wait(1_500, new AbortController().signal));
    const took = await millisecondsOf(async () => {
      await waitUntil({ name: 'the read to be blocked', pollMs: 5 }, blocked);
      proxy.stall();
      expect(await waiting).toBeInstanceOf(StoreUnavailable);
    });
    expect(took).toBeLessThan(4_500);
    proxy.heal();
    const { run } = await bench.submit({}, bench.second);
    expect((await reader.wait(5_000, new AbortController().signal)).map(({ runId }) => runId)).toEqual([run.runId]);
    await reader.close();
  });

  it('takes no more calls than may be under way', async () => {
    const proxy = await track(startFaultProxy({ target: { port: sharedPort() } }));
    const harness = await track(openRedisHarness({ first: { url: proxy.url, maxOutstanding: 2, giveUpMs: 600, commandTimeoutMs: 300 } }));
    proxy.stall();
    const waiting = [harness.first.runs.now(), harness.first.runs.now()].map(failureOf);
    const refused = await failureOf(harness.first.runs.now());
    expect(refused).toBeInstanceOf(StoreUnavailable);
    expect(String(refused.cause)).toContain('2 calls have no answer yet');
    proxy.heal();
    await Promise.all(waiting);
    expect(await harness.first.runs.now()).toBeGreaterThan(0);
  });
});

describe('credentials', () => {
  it('that are wrong are one clear error without the password', async () => {
    const server = await track(startRedis({ args: ['--requirepass', 'right'] }));
    const failure = await failureOf(RedisStorage.open({ url: server.url, password: 'wr0ng', namespace: testNamespace() }));
    expect(failure).toBeInstanceOf(ConfigurationError);
    expect(failure.message).toContain('WRONGPASS');
    expect(`${failure.message} ${failure.stack} ${JSON.stringify(failure, Object.getOwnPropertyNames(failure))}`).not.toContain('wr0ng');
  });

  it('that are missing are one clear error', async () => {
    const server = await track(startRedis({ args: ['--requirepass', 'right'] }));
    const failure = await failureOf(RedisStorage.open({ url: server.url, namespace: testNamespace() }));
    expect(failure).toBeInstanceOf(ConfigurationError);
    expect(failure.message).toContain('NOAUTH');
  });

  it('in the address open the store, and are not part of its description', async () => {
    const server = await track(startRedis({ args: ['--requirepass', 'r%ght'] }));
    const storage = await track(RedisStorage.open({ url: `redis://:r%25ght@127.0.0.1:${server.port}`, namespace: testNamespace() }));
    await storage.ping();
    expect(JSON.stringify(storage.describe())).not.toContain('r%ght');
  });
});

describe('a storage that nobody can reach', () => {
  it('is given up when it is opened', async () => {
    const failure = await failureOf(RedisStorage.open({ url: 'redis://127.0.0.1:1', giveUpMs: 300 }));
    expect(failure).toBeInstanceOf(StoreUnavailable);
    expect(String(failure.cause)).toContain('ECONNREFUSED');
  });

  it('answers nothing after it was closed', async () => {
    const storage = await RedisStorage.open({ url: sharedRedisUrl(), namespace: testNamespace() });
    await storage.close();
    expect(await failureOf(storage.runs.now())).toBeInstanceOf(StoreUnavailable);
    await storage.close();
  });
});
