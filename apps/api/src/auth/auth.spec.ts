import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { MemoryStorage } from '@millrace/storage';
import { tracked } from '@millrace/storage/testing';
import { pino } from 'pino';
import { announcement, type ApiHarness, bearer, startApi, tokensEnv } from '../testing/api-harness.js';

const track = tracked(afterEach);
const tokens = tokensEnv([
  { token: 'reader', scopes: ['read'] },
  { token: 'submitter', scopes: ['submit'] },
  { token: 'controller', scopes: ['control'] },
  { token: 'admin', scopes: ['admin'] },
  { token: 'stranger', namespace: 'other', scopes: ['admin'] },
]);
const isHealth = (route: string) => route.includes(' /health/');

describe('with tokens', () => {
  let api: ApiHarness;
  const stores = new Map<string, MemoryStorage>();
  beforeAll(async () => {
    api = await startApi({
      env: { MILLRACE_TOKENS: tokens },
      openStorage: async (namespace) => {
        const storage = await MemoryStorage.open({ namespace });
        await storage.registry.announceWorkflows([announcement('any')]);
        stores.set(namespace, storage);
        return storage;
      },
    });
  });
  afterAll(() => api.close());

  const ask = (route: string, headers: Readonly<Record<string, string>>) => {
    const [method = '', url = ''] = route.split(' ');
    return api.call(method, url.replace(':runId', 'r'), { headers });
  };

  it('opens one store a namespace', () => {
    expect([...stores.keys()].sort()).toEqual(['default', 'other']);
  });

  it.each([
    {},
    { authorization: '' },
    { authorization: 'Bearer' },
    { authorization: 'Bearer ' },
    { authorization: 'Bearer wrong' },
    { authorization: 'Basic cmVhZGVyOg==' },
    { authorization: 'reader' },
    { authorization: 'Bearer reader reader' },
  ])('answers 401 on every route but health to %j (B88)', async (headers: Record<string, string>) => {
    const guarded = api.routes.filter((route) => !isHealth(route));
    expect(guarded.length).toBeGreaterThanOrEqual(12);
    for (const route of guarded) {
      const answer = await ask(route, headers);
      expect([route, answer.statusCode, answer.json().code]).toEqual([route, 401, 'unauthorized']);
      expect(answer.headers['www-authenticate']).toContain('Bearer');
    }
  });

  it('asks for no token on health', async () => {
    for (const route of api.routes.filter(isHealth)) expect((await ask(route, {})).statusCode).toBe(200);
  });

  it('takes the scheme in any case', async () => {
    for (const scheme of ['bearer', 'BEARER', 'Bearer '])
      expect((await ask('GET /v1/runs', { authorization: `${scheme} reader` })).statusCode).toBe(200);
  });

  it('lets a token do what its scopes say, and admin everything', async () => {
    const needs = (route: string) => (route.endsWith('/cancel') ? 'controller' : route.startsWith('POST') ? 'submitter' : 'reader');
    for (const route of api.routes.filter((each) => !isHealth(each))) {
      for (const token of ['reader', 'submitter', 'controller']) {
        const isRefused = (await ask(route, bearer(token))).statusCode === 403;
        expect([route, token, isRefused]).toEqual([route, token, token !== needs(route)]);
      }
      expect((await ask(route, bearer('admin'))).statusCode).not.toBe(403);
    }
  });

  it("answers 404 for another tenant's run, lists none of it, and keeps equal ids and keys apart (B134)", async () => {
    const submit = (token: string, input: string) => api.post('/v1/runs', { workflow: 'any', runId: 'shared', input }, bearer(token));
    expect((await submit('submitter', 'mine')).statusCode).toBe(202);
    const read = (path: string) => api.get(path, bearer('stranger'));
    for (const path of ['/v1/runs/shared', '/v1/runs/shared/steps', '/v1/runs/shared/events', '/v1/runs/shared/graph'])
      expect((await read(path)).statusCode).toBe(404);
    expect((await api.post('/v1/runs/shared/cancel', undefined, bearer('stranger'))).statusCode).toBe(404);
    expect((await read('/v1/runs')).json().runs).toEqual([]);
    expect((await read('/v1/counts')).json().counts).toEqual([]);
    expect((await read('/metrics')).body).not.toContain('millrace_runs{');
    expect((await submit('stranger', 'theirs')).statusCode).toBe(202);
    expect((await api.get('/v1/runs/shared', bearer('reader'))).json().input).toBe('mine');
    const keyed = await Promise.all(
      ['submitter', 'stranger'].map((token) => api.post('/v1/runs', { workflow: 'any' }, { ...bearer(token), 'idempotency-key': 'K' })),
    );
    expect(keyed.map(({ statusCode }) => statusCode)).toEqual([202, 202]);
    expect(keyed[0]?.json().runId).not.toBe(keyed[1]?.json().runId);
  });
});

describe('without tokens', () => {
  it.each(['evil.example', '10.0.0.1', 'localhost.evil.example'])(
    'answers 403 to the host name %s, behind which a web page may be',
    async (host) => {
      const api = await track(startApi());
      expect((await api.get('/v1/runs', { host })).json()).toMatchObject({ status: 403, code: 'forbidden' });
    },
  );

  it.each(['localhost', 'localhost:8080', '127.0.0.1:8080', '[::1]:8080'])('answers to %s', async (host) => {
    const api = await track(startApi());
    expect((await api.get('/v1/runs', { host })).statusCode).toBe(200);
  });
});

describe('the log', () => {
  it('has no token, header, query or input', async () => {
    const lines: string[] = [];
    const logger = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
    const api = await track(startApi({ env: { MILLRACE_TOKENS: tokens }, deps: { logger } }));
    await api.get('/v1/runs?workflow=secret-query', bearer('reader'));
    await api.get('/v1/runs/secret-path', bearer('wrong-token'));
    await api.post('/v1/runs', { workflow: 'any', input: 'secret-input' }, bearer('admin'));
    const log = lines.join('');
    expect(log).toContain('"route":"/v1/runs/:runId"');
    for (const secret of ['wrong-token', 'secret-query', 'secret-path', 'secret-input', 'earer']) expect(log).not.toContain(secret);
  });
});
