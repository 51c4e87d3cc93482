import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { FakeClock } from '@millrace/durable/testing';
import { errorCodec } from '@millrace/storage';
import { tracked } from '@millrace/storage/testing';
import { type ApiHarness, greetLane, startApi } from '../testing/api-harness.js';
import { Owner, step } from '../testing/owner.js';

const track = tracked(afterEach);
const anyLane = { queue: 'default', workflow: 'any', version: 1 };
const submit = async (api: ApiHarness, runId: string, workflow = 'any') => {
  const input = workflow === 'greet' ? { name: 'Ada' } : null;
  expect((await api.post('/v1/runs', { workflow, runId, input })).statusCode).toBe(202);
};

/** For cases that only read: it has one run, `r`. */
let shared: ApiHarness;
beforeAll(async () => {
  shared = await startApi();
  await submit(shared, 'r');
});
afterAll(() => shared.close());

describe('GET /v1/runs/:runId', () => {
  it('shows output and times of a run that completed', async () => {
    const api = await track(startApi());
    await submit(api, 'r');
    const owner = await Owner.claim(api.storage, anyLane);
    await owner.complete(api.codec.encode({ ok: true }));
    const run = (await api.get('/v1/runs/r')).json();
    expect(run).toMatchObject({ status: 'completed', revision: 1, output: { ok: true }, cancelling: false, broken: null });
    for (const field of ['createdAt', 'startedAt', 'endedAt']) expect(run[field]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('shows the error of a run that failed, with its cause', async () => {
    const api = await track(startApi());
    await submit(api, 'r');
    const owner = await Owner.claim(api.storage, anyLane);
    await owner.fail(errorCodec.encodeError(new TypeError('no', { cause: Object.assign(new Error('why'), { code: 'E1' }) })));
    expect((await api.get('/v1/runs/r')).json()).toMatchObject({
      status: 'failed',
      output: null,
      error: { name: 'TypeError', message: 'no', cause: { message: 'why', code: 'E1' } },
    });
  });

  it('shows values that JSON has no word for in the documented form', async () => {
    const api = await track(startApi());
    await submit(api, 'r');
    const owner = await Owner.claim(api.storage, anyLane);
    const output = {
      at: new Date(0),
      big: 10n,
      map: new Map<unknown, unknown>([['k', new Set([1])]]),
      none: undefined,
      nan: Number.NaN,
      zero: -0,
      bytes: Buffer.from('hi'),
      pattern: /a/g,
      fault: new RangeError('far'),
      list: [undefined, [new Date(Number.NaN)]],
    };
    await owner.complete(api.codec.encode(output));
    expect((await api.get('/v1/runs/r')).json().output).toEqual({
      at: { $type: 'date', value: '1970-01-01T00:00:00.000Z' },
      big: { $type: 'bigint', value: '10' },
      map: { $type: 'map', entries: [['k', { $type: 'set', values: [1] }]] },
      none: { $type: 'undefined' },
      nan: { $type: 'number', value: 'NaN' },
      zero: { $type: 'number', value: '-0' },
      bytes: { $type: 'bytes', class: 'Buffer', base64: 'aGk=' },
      pattern: { $type: 'regexp', source: 'a', flags: 'g' },
      fault: expect.objectContaining({ $type: 'error', name: 'RangeError', message: 'far' }),
      list: [{ $type: 'undefined' }, [{ $type: 'date', value: null }]],
    });
  });

  it('shows what can be read of a run whose output cannot (B41)', async () => {
    const api = await track(startApi());
    await submit(api, 'r');
    const owner = await Owner.claim(api.storage, anyLane);
    await owner.complete('{bad');
    const answer = await api.get('/v1/runs/r');
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ status: 'completed', output: null, broken: expect.stringContaining('output') });
  });

  it.each(['', '/steps', '/events', '/graph'])('answers 404 for a run that is not there: %s', async (rest) => {
    const api = shared;
    expect((await api.get(`/v1/runs/nobody${rest}`)).json()).toMatchObject({ status: 404, code: 'run_not_found', runId: 'nobody' });
  });

  it.each(['..%2f..%2fetc', '%2e%2e', 'a%00b', 'a%2Fb', '%', 'x'.repeat(201), '%E9'])(
    'answers 400 or 404 to the path part %s (B91)',
    async (part) => {
      const api = shared;
      const answer = await api.get(`/v1/runs/${part}`);
      expect([400, 404]).toContain(answer.statusCode);
      expect(answer.headers['content-type']).toContain('application/problem+json');
    },
  );
});

describe('GET /v1/runs/:runId?wait=', () => {
  it('answers at once for a run that has ended (B128)', async () => {
    const api = await track(startApi({ deps: { clock: new FakeClock() } }));
    await submit(api, 'r');
    await (await Owner.claim(api.storage, anyLane)).complete('1');
    expect((await api.get('/v1/runs/r?wait=60s')).json()).toMatchObject({ status: 'completed', output: 1 });
  });

  it('answers when the run ends, all who wait for it', async () => {
    const api = await track(startApi({ deps: { clock: new FakeClock() } }));
    await submit(api, 'r');
    const owner = await Owner.claim(api.storage, anyLane);
    const waiting = [1, 2, 3].map(() => api.get('/v1/runs/r?wait=60s'));
    await owner.complete('1');
    for (const answer of await Promise.all(waiting)) expect(answer.json()).toMatchObject({ status: 'completed', output: 1 });
  });

  it('answers the run as it is when the time is up', async () => {
    const api = await track(startApi());
    await submit(api, 'r');
    expect((await api.get('/v1/runs/r?wait=20ms')).json()).toMatchObject({ status: 'queued' });
    expect((await api.get('/v1/runs/r?wait=0s')).json()).toMatchObject({ status: 'queued' });
  });

  it.each(['NaN', '', '61s', '1d', '-1s', '30', '0x10', '1e1s', 'true'])('refuses wait=%s (B86)', async (wait) => {
    const api = shared;
    expect((await api.get(`/v1/runs/r?wait=${wait}`)).json()).toMatchObject({ status: 400, problems: [{ path: 'wait' }] });
  });
});

describe('GET /v1/runs', () => {
  it('pages through everything, newest first, without payloads', async () => {
    const clock = new FakeClock();
    const api = await track(startApi({ deps: { clock } }));
    for (let index = 0; index < 25; index += 1) {
      await submit(api, `r${index}`, index % 2 === 0 ? 'any' : 'greet');
      clock.advance(10);
    }
    const seen: string[] = [];
    let cursor: string | null = '';
    do {
      const page: { runs: Array<{ runId: string }>; cursor: string | null } = (
        await api.get(`/v1/runs?limit=10${cursor === '' ? '' : `&cursor=${cursor}`}`)
      ).json();
      for (const run of page.runs) {
        expect(Object.keys(run)).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(input|output|error)$/)]));
        seen.push(run.runId);
      }
      ({ cursor } = page);
    } while (cursor !== null);
    expect(seen).toEqual(Array.from({ length: 25 }, (_, index) => `r${24 - index}`));
  });

  it('filters by workflow, status and time', async () => {
    const clock = new FakeClock({ wall: Date.parse('2027-01-01T00:00:00Z') });
    const api = await track(startApi({ deps: { clock } }));
    await submit(api, 'old');
    clock.advance(60_000);
    await submit(api, 'new');
    await submit(api, 'other', 'greet');
    await (await Owner.claim(api.storage, greetLane)).complete('1');
    const ids = async (query: string) => (await api.get(`/v1/runs?${query}`)).json().runs.map(({ runId }: { runId: string }) => runId);
    expect(await ids('workflow=any')).toEqual(['new', 'old']);
    expect(await ids('status=completed')).toEqual(['other']);
    expect(await ids('workflow=any&to=2027-01-01T00:01:00Z')).toEqual(['old']);
    expect(await ids('from=2027-01-01T01:01:00%2B01:00&workflow=any')).toEqual(['new']);
  });

  it.each([
    'limit=',
    'limit=1e9',
    'limit=-1',
    'limit=0',
    'limit=0x10',
    'limit=201',
    'limit=1&limit=2',
    'status=done',
    'from=yesterday',
    'from=1',
    'to=2027-13-01T00:00:00Z',
    'cursor=abc',
    'workflow=*',
    'dryRun=false',
    '__proto__=1',
    'constructor=1',
  ])('refuses ?%s (B86)', async (query) => {
    const api = shared;
    expect((await api.get(`/v1/runs?${query}`)).json()).toMatchObject({
      status: 400,
      code: 'invalid_request',
      problems: [{ path: query.split('=')[0] }],
    });
  });
});

describe('GET /v1/runs/:runId/steps', () => {
  it('shows every kind of entry in pages', async () => {
    const clock = new FakeClock({ wall: Date.parse('2027-01-01T00:00:00Z') });
    const api = await track(startApi({ deps: { clock } }));
    await submit(api, 'r');
    const owner = await Owner.claim(api.storage, anyLane);
    const sleep = { kind: 'sleep', name: 'cool', startedAfter: 1, endedAfter: 100, handover: 0, revision: 0 } as const;
    await owner.commit([
      [0, step('toString', 1, { payload: api.codec.encode({ at: new Date(0) }), key: 'mine', used: 2, interruptions: 1 })],
      [1, step('bad', 2, { state: 'failed', payload: errorCodec.encodeError(new Error('no')), used: 3 })],
      [2, step('again', 0, { state: 'retrying', payload: null, endedAfter: 40 })],
      [3, { ...sleep, state: 'pending' }],
      [4, step('now', 0, { state: 'open', payload: null, endedAfter: 0 })],
    ]);
    const past = { startedAfter: 1, endedAfter: 3, note: null, error: errorCodec.encodeError(new Error('first')) };
    await owner.pastAttempt(1, { attempt: 2, outcome: 'worker-lost', ...past });
    await owner.pastAttempt(1, { attempt: 1, outcome: 'failed', ...past });
    const first = (await api.get('/v1/runs/r/steps?limit=3')).json();
    expect(first.steps).toEqual([
      expect.objectContaining({
        number: 0,
        kind: 'step',
        name: 'toString',
        key: 'mine',
        state: 'completed',
        attempts: 2,
        interruptions: 1,
        result: { at: { $type: 'date', value: '1970-01-01T00:00:00.000Z' } },
        startedAt: '2027-01-01T00:00:00.005Z',
        endedAt: '2027-01-01T00:00:00.010Z',
        dueAt: null,
      }),
      expect.objectContaining({
        number: 1,
        state: 'failed',
        result: null,
        error: expect.objectContaining({ message: 'no' }),
        pastAttempts: [
          expect.objectContaining({ attempt: 1, outcome: 'failed', endedAt: '2027-01-01T00:00:00.003Z' }),
          expect.objectContaining({ attempt: 2, outcome: 'worker-lost', error: expect.objectContaining({ message: 'first' }) }),
        ],
      }),
      expect.objectContaining({ number: 2, state: 'retrying', endedAt: null, dueAt: '2027-01-01T00:00:00.040Z' }),
    ]);
    const second = (await api.get(`/v1/runs/r/steps?limit=3&cursor=${first.cursor}`)).json();
    expect(second).toMatchObject({
      steps: [
        { number: 3, kind: 'sleep', state: 'pending', dueAt: '2027-01-01T00:00:00.100Z' },
        { number: 4, state: 'open', endedAt: null, dueAt: null },
      ],
      cursor: null,
    });
  });

  it('marks an entry or a result that cannot be read and shows the others (B41)', async () => {
    const api = await track(startApi());
    await submit(api, 'r');
    const owner = await Owner.claim(api.storage, anyLane);
    await owner.commit([
      [0, step('good', 1)],
      [1, step('odd', 2, { payload: '{bad' })],
    ]);
    await owner.write([['2', '{bad']], { kind: 'continue' });
    const { steps } = (await api.get('/v1/runs/r/steps')).json();
    expect(steps).toMatchObject([
      { name: 'good', broken: null },
      { name: 'odd', result: null, broken: expect.stringContaining('result') },
      { number: 2, kind: 'unreadable', name: null, broken: expect.any(String) },
    ]);
  });

  it.each(['limit=0', 'limit=201', 'cursor=x', 'cursor=-1', 'x=1'])('refuses ?%s', async (query) => {
    const api = shared;
    expect((await api.get(`/v1/runs/r/steps?${query}`)).statusCode).toBe(400);
  });
});

describe('GET /v1/runs/:runId/graph', () => {
  it('draws a graph with the states of its nodes', async () => {
    const api = await track(startApi());
    const nodes = [
      { id: 'a', task: 'paint' },
      { id: 'b', task: 'paint', after: ['a'] },
      { id: 'c', task: 'paint', after: ['a'] },
      { id: 'd', task: 'paint', after: ['b', 'c'] },
    ];
    await api.post('/v1/runs', { graph: { nodes }, runId: 'g' });
    const owner = await Owner.claim(api.storage, { queue: 'default', workflow: 'graph', version: 1 });
    await owner.commit([
      [0, step('a', 1)],
      [1, step('b', 0, { state: 'open', payload: null })],
    ]);
    const answer = await api.get('/v1/runs/g/graph');
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(answer.body).toContain('n0["a<br/>paint"]:::completed');
    expect(answer.body).toContain('n1["b<br/>paint"]:::running');
    expect(answer.body).toContain('n2["c<br/>paint"]:::ready');
    expect(answer.body).toContain('n3["d<br/>paint"]:::waiting');
  });

  it('draws the steps of other workflows in a row, and answers 404 when there are none', async () => {
    const api = await track(startApi());
    await submit(api, 'r');
    expect((await api.get('/v1/runs/r/graph')).json()).toMatchObject({ status: 404, code: 'no_graph' });
    const owner = await Owner.claim(api.storage, anyLane);
    await owner.commit([
      [0, step('same', 1)],
      [1, step('same', 0, { state: 'open', payload: null })],
    ]);
    const { body } = await api.get('/v1/runs/r/graph');
    expect(body).toContain('n0["0 same<br/>step"]:::completed');
    expect(body).toContain('n1["1 same<br/>step"]:::running');
    expect(body).toContain('n0 --> n1');
  });
});

describe('POST /v1/runs/:runId/cancel', () => {
  it('cancels that run and no other (B54)', async () => {
    const api = await track(startApi());
    const names = ['a', 'ab', 'A', 'a:1', '1', '10'];
    for (const runId of names) await submit(api, runId);
    const answer = await api.post('/v1/runs/a/cancel', { reason: 'enough' });
    expect([answer.statusCode, answer.json()]).toEqual([200, { runId: 'a', outcome: 'cancelled' }]);
    const { runs } = (await api.get('/v1/runs?status=cancelled')).json();
    expect(runs.map(({ runId }: { runId: string }) => runId)).toEqual(['a']);
  });

  it('tells a run that is held to end, shows it at once, and may be repeated', async () => {
    const api = await track(startApi());
    await submit(api, 'r');
    await Owner.claim(api.storage, anyLane);
    for (let time = 0; time < 2; time += 1) {
      const answer = await api.post('/v1/runs/r/cancel');
      expect([answer.statusCode, answer.json()]).toEqual([202, { runId: 'r', outcome: 'cancelling' }]);
    }
    expect((await api.get('/v1/runs/r')).json()).toMatchObject({ status: 'running', cancelling: true });
  });

  it('answers 409 for a run that has ended, 404 for none, 400 for a body that is not one', async () => {
    const api = await track(startApi());
    await submit(api, 'r');
    await (await Owner.claim(api.storage, anyLane)).complete('1');
    expect((await api.post('/v1/runs/r/cancel', {})).json()).toMatchObject({ status: 409, code: 'run_closed', runId: 'r' });
    expect((await api.post('/v1/runs/nobody/cancel')).json()).toMatchObject({ status: 404 });
    for (const body of [[], null, 'x', { reason: 1 }, { force: true }])
      expect((await api.post('/v1/runs/r/cancel', body)).statusCode).toBe(400);
  });
});
