import { afterEach, describe, expect, it } from '@jest/globals';
import { tracked } from '@millrace/storage/testing';
import { type ApiHarness, startApi } from '../testing/api-harness.js';

const track = tracked(afterEach);
const greet = { workflow: 'greet', input: { name: 'Ada' } };
const runCount = async (api: ApiHarness) => (await api.get('/v1/runs?limit=200')).json().runs.length;

describe('POST /v1/runs/batch', () => {
  it('answers every item by itself, in order', async () => {
    const api = await track(startApi());
    const runs = [
      greet,
      { workflow: 'gret' },
      { workflow: 'greet', input: 1 },
      { ...greet, status: 'x' },
      [[]],
      { ...greet, runId: 'mine' },
    ];
    const answer = await api.post('/v1/runs/batch', { runs });
    expect(answer.statusCode).toBe(200);
    const { answers } = answer.json();
    expect(answers.map(({ status }: { status: number }) => status)).toEqual([202, 422, 422, 400, 400, 202]);
    expect(answers[1].problem).toMatchObject({ code: 'unknown_workflow', near: ['greet'] });
    expect(answers[5].run).toMatchObject({ runId: 'mine', status: 'queued' });
    expect(await runCount(api)).toBe(2);
  });

  it('treats equal ids in one batch as submitted one after the other', async () => {
    const api = await track(startApi());
    const runs = [
      { ...greet, idempotencyKey: 'K' },
      { ...greet, idempotencyKey: 'K' },
      { workflow: 'any', idempotencyKey: 'K' },
    ];
    const { answers } = (await api.post('/v1/runs/batch', { runs })).json();
    expect(answers.map(({ status }: { status: number }) => status)).toEqual([202, 200, 422]);
    expect(answers[1].run.runId).toBe(answers[0].run.runId);
    expect(answers[2].problem).toMatchObject({ code: 'idempotency_conflict', runId: answers[0].run.runId });
    const single = await api.post('/v1/runs', greet, { 'idempotency-key': 'K' });
    expect([single.statusCode, single.json().runId]).toEqual([200, answers[0].run.runId]);
  });

  it('refuses a key for the batch as a whole', async () => {
    const api = await track(startApi());
    const answer = await api.post('/v1/runs/batch', { runs: [greet] }, { 'idempotency-key': 'K' });
    expect(answer.json()).toMatchObject({ status: 400, problems: [{ path: 'Idempotency-Key' }] });
  });

  it('takes 1,000 runs and no more, and not none', async () => {
    const api = await track(startApi());
    const many = (count: number) => api.post('/v1/runs/batch', { runs: Array.from({ length: count }, () => greet) });
    const full = await many(1_000);
    expect(full.json().answers.filter(({ status }: { status: number }) => status === 202)).toHaveLength(1_000);
    expect((await many(1_001)).json()).toMatchObject({ status: 400, problems: [{ path: 'runs' }] });
    expect((await many(0)).statusCode).toBe(400);
    for (const runs of [undefined, {}, 'x', null]) expect((await api.post('/v1/runs/batch', { runs })).statusCode).toBe(400);
  });
});
