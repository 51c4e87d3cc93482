import { afterEach, describe, expect, it } from '@jest/globals';
import { ConfigurationError, StoreUnavailable } from '@millrace/durable';
import { FakeClock, signalled } from '@millrace/durable/testing';
import { MemoryStorage } from '@millrace/storage';
import { tracked } from '@millrace/storage/testing';
import type { ApiStorage } from './namespaces/api-storage.js';
import { announcement, startApi } from './testing/api-harness.js';
import { withInspector, withOutage, withPing } from './testing/wrapped-storage.js';

const track = tracked(afterEach);

describe('a store that is away', () => {
  it('makes 503 with Retry-After of every route that needs it, and nothing else (B44)', async () => {
    const outage = signalled<ReturnType<typeof withOutage>>();
    const api = await track(
      startApi({
        openStorage: async (_namespace, storage) => {
          const store = withOutage(storage);
          outage.raise('opened', store);
          return store;
        },
      }),
    );
    const store = await outage.waitFor('opened');
    expect((await api.get('/v1/runs')).statusCode).toBe(200);
    store.isDown = true;
    const answers = [
      await api.get('/v1/runs'),
      await api.get('/v1/runs/r'),
      await api.get('/v1/runs/r?wait=30s'),
      await api.get('/v1/runs/r/steps'),
      await api.get('/v1/runs/r/events'),
      await api.get('/v1/runs/r/graph'),
      await api.get('/v1/workflows'),
      await api.get('/v1/workers'),
      await api.get('/v1/counts'),
      await api.post('/v1/runs', { workflow: 'any' }),
      await api.post('/v1/runs/batch', { runs: [{ workflow: 'any' }, { workflow: 'nowhere' }] }),
      await api.post('/v1/runs/r/cancel'),
    ];
    for (const answer of answers) {
      expect([answer.statusCode, answer.json().code, answer.headers['retry-after']]).toEqual([503, 'store_unavailable', '1']);
    }
    expect((await api.get('/health/live')).statusCode).toBe(200);
    expect((await api.get('/openapi.json')).statusCode).toBe(200);
    expect((await api.get('/metrics')).body).toContain('millrace_store_up 0');
    store.isDown = false;
    expect((await api.post('/v1/runs', { workflow: 'any' })).statusCode).toBe(202);
  });

  it('does not start a run twice when the answer was lost', async () => {
    const api = await track(startApi());
    api.storage.loseReply('submit');
    const first = await api.post('/v1/runs', { workflow: 'any' }, { 'idempotency-key': 'K' });
    const again = await api.post('/v1/runs', { workflow: 'any' }, { 'idempotency-key': 'K' });
    expect([202, 503]).toContain(first.statusCode);
    expect([again.statusCode, (await api.get('/v1/runs')).json().runs.length]).toEqual([200, 1]);
  });
});

describe('readiness', () => {
  it('is a write that works: of every namespace, within 2 s, one probe at a time', async () => {
    const clock = new FakeClock();
    const pings = signalled<(error?: Error) => void>();
    const openStorage = async (_namespace: string, storage: MemoryStorage) =>
      withPing(storage, () => new Promise<void>((resolve, reject) => pings.raise('ping', (error) => (error ? reject(error) : resolve()))));
    const api = await track(startApi({ deps: { clock }, openStorage }));

    const ready = api.get('/health/ready');
    (await pings.waitFor('ping'))();
    expect((await ready).json()).toEqual({ status: 'ready' });

    const refused = api.get('/health/ready');
    (await pings.waitFor('ping'))(new StoreUnavailable('ping'));
    expect((await refused).json()).toMatchObject({ status: 503, code: 'not_ready' });

    const hanging = [api.get('/health/ready'), api.get('/health/ready'), api.get('/health/ready')];
    const settle = await pings.waitFor('ping');
    await clock.advanceInTurns(0);
    clock.advance(2_000);
    for (const answer of await Promise.all(hanging)) expect(answer.statusCode).toBe(503);
    expect(pings.count('ping')).toBe(3);
    settle();
  });
});

describe('a start while the store is away', () => {
  it('is live, not ready, answers 503, and recovers by itself (B67, B71)', async () => {
    const clock = new FakeClock();
    let isUp = false;
    const storage = await MemoryStorage.open({ clock });
    await storage.registry.announceWorkflows([announcement('any')]);
    const openStorage = async (): Promise<ApiStorage> => {
      if (isUp) return storage;
      throw new StoreUnavailable('open');
    };
    const api = await track(startApi({ deps: { clock }, openStorage }));
    expect((await api.get('/health/live')).statusCode).toBe(200);
    expect((await api.get('/health/ready')).statusCode).toBe(503);
    expect((await api.post('/v1/runs', { workflow: 'any' })).json()).toMatchObject({ status: 503, code: 'store_unavailable' });
    await clock.advanceInTurns(3_000);
    isUp = true;
    await clock.advanceInTurns(1_000);
    expect((await api.get('/health/ready')).statusCode).toBe(200);
    expect((await api.post('/v1/runs', { workflow: 'any' })).statusCode).toBe(202);
  });

  it('gives up at once when the settings can never work', async () => {
    const signals = signalled<Error>();
    const openStorage = () => Promise.reject(new ConfigurationError(['the namespace has 8 partitions, not 16']));
    await track(startApi({ openStorage, deps: { onFatal: (error) => signals.raise('fatal', error) } }));
    expect(await signals.waitFor('fatal')).toBeInstanceOf(ConfigurationError);
  });
});

describe('the bound of requests under way', () => {
  it('answers 503 to what is over, keeps room for probes, and gives room back', async () => {
    const clock = new FakeClock();
    const calls = signalled<() => void>();
    const list = () => new Promise<{ runs: []; cursor: null }>((resolve) => calls.raise('list', () => resolve({ runs: [], cursor: null })));
    const openStorage = async (_namespace: string, storage: MemoryStorage) => withInspector(storage, { list });
    const api = await track(startApi({ env: { MILLRACE_MAX_IN_FLIGHT: '2', MILLRACE_MAX_WAITING: '1' }, deps: { clock }, openStorage }));
    await api.post('/v1/runs', { workflow: 'any', runId: 'r' });
    const held = [api.get('/v1/runs'), api.get('/v1/runs')];
    const release = [await calls.waitFor('list'), await calls.waitFor('list')];
    const over = await api.get('/v1/runs/r');
    expect([over.json().code, over.headers['retry-after']]).toEqual(['overloaded', '1']);
    expect((await api.get('/health/ready')).statusCode).toBe(200);
    // Who waits on purpose takes no room from the others, and has a bound of its own.
    const polling = api.get('/v1/runs/r?wait=10s');
    await clock.advanceInTurns(0);
    expect((await api.get('/v1/runs/r/events')).json()).toMatchObject({ code: 'overloaded' });
    for (const give of release) give();
    for (const answer of await Promise.all(held)) expect(answer.statusCode).toBe(200);
    expect((await api.get('/v1/runs/r')).statusCode).toBe(200);
    await clock.advanceInTurns(10_000);
    expect((await polling).statusCode).toBe(200);
  });
});
