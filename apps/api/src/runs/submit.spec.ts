import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { tracked } from '@millrace/storage/testing';
import { type ApiHarness, announcement, startApi } from '../testing/api-harness.js';

const track = tracked(afterEach);
const greet = { workflow: 'greet', input: { name: 'Ada' } };
const runCount = async (api: ApiHarness) => (await api.get('/v1/runs?limit=200')).json().runs.length;

describe('POST /v1/runs', () => {
  it('makes a run and says where it is', async () => {
    const api = await track(startApi());
    const answer = await api.post('/v1/runs', greet);
    expect(answer.statusCode).toBe(202);
    const run = answer.json();
    expect(run).toMatchObject({
      workflow: 'greet',
      version: 1,
      queue: 'default',
      status: 'queued',
      revision: 0,
      input: { name: 'Ada' },
      output: null,
      error: null,
    });
    expect(run.runId).toMatch(/^[0-9A-Z]{26}$/);
    expect(answer.headers['location']).toBe(`/v1/runs/${run.runId}`);
    expect((await api.get(`/v1/runs/${run.runId}`)).json()).toEqual(run);
  });

  it('takes the newest announced version, and the one that is asked for', async () => {
    const api = await track(startApi());
    await api.storage.registry.announceWorkflows([
      announcement('any', { version: 9, queue: 'other' }),
      announcement('any', { version: 10 }),
    ]);
    expect((await api.post('/v1/runs', { workflow: 'any' })).json()).toMatchObject({ version: 10, queue: 'default' });
    expect((await api.post('/v1/runs', { workflow: 'any', version: 9 })).json()).toMatchObject({ version: 9, queue: 'other' });
    expect((await api.post('/v1/runs', { workflow: 'any', version: 9, queue: 'default' })).json()).toMatchObject({
      status: 422,
      code: 'unknown_workflow',
    });
  });

  it('refuses a workflow that nobody announced, with near names', async () => {
    const api = await track(startApi());
    const answer = await api.post('/v1/runs', { workflow: 'gret', input: {} });
    expect(answer.statusCode).toBe(422);
    expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expect(answer.json()).toMatchObject({
      type: 'urn:millrace:problem:unknown_workflow',
      status: 422,
      code: 'unknown_workflow',
      workflow: 'gret',
      near: ['greet'],
    });
  });

  it("checks the input against the workflow's own schema and names the paths", async () => {
    const api = await track(startApi());
    const answer = await api.post('/v1/runs', { workflow: 'greet', input: { name: '', more: 1 } });
    expect(answer.statusCode).toBe(422);
    expect(answer.json()).toMatchObject({ code: 'invalid_input' });
    expect(answer.json().problems).toEqual([
      { path: '$', message: 'must NOT have additional properties (more)' },
      { path: '$.name', message: 'must NOT have fewer than 1 characters' },
    ]);
    expect((await api.post('/v1/runs', { workflow: 'greet' })).json()).toMatchObject({ code: 'invalid_input' });
    expect(await runCount(api)).toBe(0);
  });

  it('keeps values as they came, at every place where they are read (B37)', async () => {
    const api = await track(startApi());
    const text = '{"a":[],"o":{},"n":9007199254740991,"id":"9007199254740993","f":1e21,"s":"\\u0000é😀","deep":[[],[[]]]}';
    const answer = await api.call('POST', '/v1/runs', {
      headers: { 'content-type': 'application/json' },
      text: `{"workflow":"any","input":${text}}`,
    });
    expect(answer.statusCode).toBe(202);
    const { runId } = answer.json();
    const plain = JSON.stringify(JSON.parse(text));
    expect((await api.storage.inspector.getRun(runId))?.input).toBe(plain);
    expect(JSON.stringify((await api.get(`/v1/runs/${runId}`)).json().input)).toBe(plain);
  });

  it('keeps prototype keys as data and pollutes nothing (B40)', async () => {
    const api = await track(startApi());
    const input = '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"x":1}},"toString":"ACME Ltd"}';
    const answer = await api.call('POST', '/v1/runs', {
      headers: { 'content-type': 'application/json' },
      text: `{"workflow":"any","input":${input}}`,
    });
    expect(answer.statusCode).toBe(202);
    expect((await api.get(`/v1/runs/${answer.json().runId}`)).body).toContain(`"input":${input}`);
    expect(Reflect.get({}, 'isAdmin')).toBeUndefined();
    expect(Reflect.get({}, 'x')).toBeUndefined();
  });

  it('names the limit of a payload and of a body, counted in bytes (B39)', async () => {
    const api = await track(startApi({ env: { MILLRACE_PAYLOAD_LIMIT: '2048', MILLRACE_BODY_LIMIT: '4096' } }));
    const submit = (input: string) => api.post('/v1/runs', { workflow: 'any', input });
    expect((await submit('x'.repeat(2046))).statusCode).toBe(202);
    const over = await submit('x'.repeat(2047));
    expect(over.json()).toMatchObject({ status: 413, code: 'payload_too_large' });
    expect(over.json().detail).toContain('2048');
    expect((await submit('é'.repeat(1023))).statusCode).toBe(202);
    expect((await submit('é'.repeat(1024))).statusCode).toBe(413);
    expect((await submit('x'.repeat(5000))).json()).toMatchObject({ status: 413, code: 'body_too_large', limitBytes: 4096 });
  });

  it('refuses nesting over the limit, however deep', async () => {
    const api = await track(startApi());
    const nested = (depth: number) => `{"workflow":"any","input":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    const submit = (depth: number) =>
      api.call('POST', '/v1/runs', { headers: { 'content-type': 'application/json' }, text: nested(depth) });
    expect((await submit(64)).statusCode).toBe(202);
    expect((await submit(65)).json()).toMatchObject({ status: 422, code: 'payload_too_deep' });
    expect((await submit(500_000)).json()).toMatchObject({ status: 400, code: 'too_deep' });
  });
});

describe('POST /v1/runs with what it refuses', () => {
  /** For cases that write nothing, or whose run nobody else looks for. */
  let api: ApiHarness;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());

  it.each(['9007199254740993', '-9007199254740993', '[1e400]', '{"deep":[123456789012345678901234567890]}'])(
    'refuses the number in %s, which JavaScript cannot keep (B37)',
    async (input) => {
      const before = await runCount(api);
      const answer = await api.call('POST', '/v1/runs', {
        headers: { 'content-type': 'application/json' },
        text: `{"workflow":"any","input":${input}}`,
      });
      expect(answer.json()).toMatchObject({ status: 400, code: 'unsafe_number' });
      expect(await runCount(api)).toBe(before);
    },
  );

  it.each([
    '__proto__',
    'constructor',
    'status',
    'revision',
    'owner',
    'attempts',
    'createdAt',
    'output',
    'namespace',
    'partition',
    '_internal',
    'idempotencyKey',
  ])('refuses the field %s, which a caller may not set (B87)', async (field) => {
    const answer = await api.call('POST', '/v1/runs', {
      headers: { 'content-type': 'application/json' },
      text: `{"workflow":"any","${field}":{"a":1}}`,
    });
    expect(answer.json()).toMatchObject({
      status: 400,
      code: 'invalid_request',
      problems: [{ path: field, message: 'is not known here' }],
    });
  });

  it.each([
    '[]',
    '[{"workflow":"any"}]',
    'null',
    '"x"',
    '1',
    'true',
    '{"0":{"workflow":"any"},"length":1}',
    '{"workflow":["any"]}',
    '{"workflow":{"a":1}}',
    '{"workflow":null}',
    '{}',
    '',
    '{"workflow":"any"',
    '{"workflow":"any","version":"3"}',
    '{"workflow":"any","version":0}',
    '{"workflow":"any","version":1.5}',
    '{"workflow":"any","runId":null}',
    '{"workflow":"any","graph":{}}',
  ])('answers 400 to the body %s and writes nothing (B85, B86)', async (text) => {
    const before = await runCount(api);
    const answer = await api.call('POST', '/v1/runs', { headers: { 'content-type': 'application/json' }, text });
    expect(answer.statusCode).toBe(400);
    expect(answer.headers['content-type']).toContain('application/problem+json');
    expect(await runCount(api)).toBe(before);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'multipart/form-data; boundary=x'])(
    'answers 415 to %s',
    async (type) => {
      const answer = await api.call('POST', '/v1/runs', { headers: { 'content-type': type }, text: '{"workflow":"any"}' });
      expect(answer.json()).toMatchObject({ status: 415, code: 'unsupported_media_type' });
    },
  );

  it.each([
    '*',
    '?',
    '[a]',
    '$',
    '>',
    '-',
    '',
    ' ',
    '..',
    'x'.repeat(201),
    'a\nb',
    'a\u0000b',
    'a/b',
    '../../etc/passwd',
    'a|b',
    '{a}',
    'é',
  ])('refuses the run id %j and the same as queue or key (B89, B91, B92)', async (name) => {
    for (const field of ['runId', 'queue', 'workflow']) {
      expect((await api.post('/v1/runs', { workflow: 'any', [field]: name })).json()).toMatchObject({
        status: 400,
        problems: [{ path: field }],
      });
    }
    const batch = await api.post('/v1/runs/batch', { runs: [{ workflow: 'any', idempotencyKey: name }] });
    expect(batch.json().answers[0]).toMatchObject({ status: 400, problem: { problems: [{ path: 'idempotencyKey' }] } });
  });

  it.each(['1', '007', '1e3', 'a:b', 'a:in:x', 'run:a', '0-1', 'null', 'undefined', 'x'.repeat(200)])(
    'takes the run id %s in all verbs (B92)',
    async (runId) => {
      const path = `/v1/runs/${encodeURIComponent(runId)}`;
      const every = Array.from(runId, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');
      expect((await api.post('/v1/runs', { workflow: 'any', runId })).json()).toMatchObject({ runId });
      expect((await api.get(path)).json()).toMatchObject({ runId });
      expect((await api.get(`/v1/runs/${every}`)).json()).toMatchObject({ runId });
      expect((await api.get('/v1/runs')).json().runs).toContainEqual(expect.objectContaining({ runId }));
      expect((await api.get(`${path}/steps`)).statusCode).toBe(200);
      expect((await api.post(`${path}/cancel`)).json()).toEqual({ runId, outcome: 'cancelled' });
      expect((await api.get(`${path}/events`)).body).toContain('event: end');
    },
  );
});
