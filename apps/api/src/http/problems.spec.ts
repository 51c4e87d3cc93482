import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { tracked } from '@millrace/storage/testing';
import { pino } from 'pino';
import { type ApiHarness, startApi } from '../testing/api-harness.js';
import { withInspector } from '../testing/wrapped-storage.js';

const track = tracked(afterEach);

describe('problem documents', () => {
  let api: ApiHarness;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());

  it.each([
    ['GET', '/', 404, 'not_found'],
    ['GET', '/v2/runs', 404, 'not_found'],
    ['GET', '/v1/runs/a/b/c', 404, 'not_found'],
    ['GET', '/v1/runs/%', 400, 'invalid_request'],
    ['DELETE', '/v1/runs/a', 405, 'method_not_allowed'],
    ['PUT', '/v1/runs', 405, 'method_not_allowed'],
    ['GET', '/v1/runs/batch/../../../etc/passwd', 404, 'not_found'],
  ])('%s %s is %d %s', async (method, url, status, code) => {
    const answer = await api.call(method, url);
    expect([answer.statusCode, answer.json().code]).toEqual([status, code]);
    expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    const { type, title, detail, requestId } = answer.json();
    expect(type).toBe(`urn:millrace:problem:${code}`);
    for (const text of [title, detail, requestId]) expect(typeof text).toBe('string');
  });

  it('says which methods a path has', async () => {
    expect((await api.call('PATCH', '/v1/runs')).headers['allow']).toBe('GET, POST');
  });

  it('hardens every answer', async () => {
    const { headers } = await api.get('/v1/runs');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['content-security-policy']).not.toContain('upgrade-insecure-requests');
  });
});

describe('a fault that nobody foresaw', () => {
  it('is 500, tells nothing, and is logged', async () => {
    const logged: unknown[] = [];
    const logger = pino({ level: 'error' }, { write: (line: string) => logged.push(JSON.parse(line)) });
    const api = await track(
      startApi({
        deps: { logger },
        openStorage: async (_namespace, storage) => withInspector(storage, { list: () => Promise.reject(new Error('password=sesame')) }),
      }),
    );
    const answer = await api.get('/v1/runs');
    expect(answer.json()).toMatchObject({ status: 500, code: 'internal_error' });
    expect(answer.body).not.toContain('sesame');
    expect(logged).toMatchObject([{ requestId: answer.json().requestId, err: { message: 'password=sesame' } }]);
  });
});

describe('the rate limit', () => {
  it('is off unless it is set, and then answers 429 with a time to wait', async () => {
    const api = await track(startApi({ env: { MILLRACE_RATE_LIMIT: '3' } }));
    const statuses = [];
    for (let time = 0; time < 4; time += 1) statuses.push((await api.get('/v1/runs')).statusCode);
    expect(statuses).toEqual([200, 200, 200, 429]);
    const answer = await api.get('/v1/runs');
    expect(answer.json()).toMatchObject({ status: 429, code: 'too_many_requests' });
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect((await api.get('/health/live')).statusCode).toBe(200);
  });
});
