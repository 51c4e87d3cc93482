import { afterEach, describe, expect, it } from '@jest/globals';
import { FakeClock } from '@millrace/durable/testing';
import { tracked } from '@millrace/storage/testing';
import { announcement, type ApiHarness, startApi } from '../testing/api-harness.js';

const track = tracked(afterEach);
const greet = { workflow: 'greet', input: { name: 'Ada' } };
const runCount = async (api: ApiHarness) => (await api.get('/v1/runs?limit=200')).json().runs.length;

describe('idempotent submission', () => {
  it('answers the run that is there to the same request, and says so (B120)', async () => {
    const api = await track(startApi());
    const first = await api.post('/v1/runs', greet, { 'idempotency-key': 'order-1' });
    const again = await api.post('/v1/runs', { input: { name: 'Ada' }, workflow: 'greet' }, { 'idempotency-key': 'order-1' });
    expect([first.statusCode, again.statusCode]).toEqual([202, 200]);
    expect(first.headers['idempotency-replayed']).toBeUndefined();
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(again.json()).toEqual(first.json());
    expect(again.headers['location']).toBe(first.headers['location']);
  });

  it('refuses another request under the same id, changes nothing and names the run (B122)', async () => {
    const api = await track(startApi());
    await api.storage.registry.announceWorkflows([announcement('any', { version: 2 }), announcement('any', { queue: 'other' })]);
    await api.post('/v1/runs', { workflow: 'any', version: 1, queue: 'default', runId: 'X', input: [1, 2] });
    const before = await api.storage.inspector.getRun('X');
    const others = [
      { workflow: 'greet', input: { name: 'Ada' } },
      { workflow: 'any', version: 2, queue: 'default', input: [1, 2] },
      { workflow: 'any', version: 1, queue: 'other', input: [1, 2] },
      { workflow: 'any', version: 1, queue: 'default', input: [2, 1] },
      { graph: { nodes: [{ id: 'a', task: 'paint' }] } },
    ];
    for (const other of others) {
      expect((await api.post('/v1/runs', { ...other, runId: 'X' })).json()).toMatchObject({
        status: 422,
        code: 'idempotency_conflict',
        runId: 'X',
      });
    }
    expect(await api.storage.inspector.getRun('X')).toEqual(before);
  });

  it('does not take the order of keys for a difference, at any depth', async () => {
    const api = await track(startApi());
    const first = await api.post('/v1/runs', { workflow: 'any', runId: 'X', input: { a: { b: 1, c: [] }, d: 2 } });
    const again = await api.post('/v1/runs', { workflow: 'any', runId: 'X', input: { d: 2, a: { c: [], b: 1 } } });
    expect([first.statusCode, again.statusCode]).toEqual([202, 200]);
    expect((await api.post('/v1/runs', { workflow: 'any', runId: 'X', input: { d: 2, a: { c: {}, b: 1 } } })).statusCode).toBe(422);
  });

  it('starts one run for a key that is used at the same time, and tells those apart that differ (B121)', async () => {
    const api = await track(startApi());
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => api.post('/v1/runs', { workflow: 'any', input: index % 2 }, { 'idempotency-key': 'K' })),
    );
    const statuses = answers.map(({ statusCode }) => statusCode);
    expect(statuses.filter((status) => status === 202)).toHaveLength(1);
    expect(statuses.filter((status) => status === 200)).toHaveLength(49);
    expect(statuses.filter((status) => status === 422)).toHaveLength(50);
    expect(new Set(answers.map((answer) => answer.json().runId)).size).toBe(1);
    expect(await runCount(api)).toBe(1);
    const other = await api.post('/v1/runs', { workflow: 'any', input: 0 }, { 'idempotency-key': 'k' });
    expect(other.statusCode).toBe(202);
  });

  it('lets the run id decide when both are given', async () => {
    const api = await track(startApi());
    const first = await api.post('/v1/runs', { workflow: 'any', runId: 'X' }, { 'idempotency-key': 'K' });
    expect(first.json().runId).toBe('X');
    expect((await api.post('/v1/runs', { workflow: 'any', runId: 'Y' }, { 'idempotency-key': 'K' })).json().runId).toBe('Y');
    expect((await api.post('/v1/runs', { workflow: 'any' }, { 'idempotency-key': 'K' })).statusCode).toBe(202);
  });

  it('answers a repetition also after a deployment of a newer version, or when the workflow is gone', async () => {
    const clock = new FakeClock();
    const api = await track(startApi({ deps: { clock } }));
    const first = await api.post('/v1/runs', greet, { 'idempotency-key': 'K' });
    await api.storage.registry.announceWorkflows([announcement('greet', { version: 2, inputSchema: { type: 'string' } })]);
    const again = await api.post('/v1/runs', greet, { 'idempotency-key': 'K' });
    expect([again.statusCode, again.json().runId, again.json().version]).toEqual([200, first.json().runId, 1]);
    api.storage.server.workflows.clear();
    clock.advance(1_000);
    expect((await api.post('/v1/runs', greet, { 'idempotency-key': 'K' })).statusCode).toBe(200);
    expect((await api.post('/v1/runs', { ...greet, input: { name: 'Bob' } }, { 'idempotency-key': 'K' })).json()).toMatchObject({
      code: 'unknown_workflow',
    });
  });

  it('refuses a key that is no identifier', async () => {
    const api = await track(startApi());
    for (const key of ['', ' ', 'a b', 'x'.repeat(1000), '*']) {
      const answer = await api.post('/v1/runs', greet, { 'idempotency-key': key });
      expect([key, answer.json()]).toMatchObject([key, { status: 400, problems: [{ path: 'Idempotency-Key' }] }]);
    }
  });
});
