import { afterEach, describe, expect, it } from '@jest/globals';
import { tracked } from '@millrace/storage/testing';
import { startApi, worker } from '../testing/api-harness.js';
import { Owner } from '../testing/owner.js';

const track = tracked(afterEach);

describe('GET /metrics', () => {
  it('has durations by route pattern, runs by workflow and status, and the process', async () => {
    const api = await track(startApi());
    for (const runId of ['a', 'b', 'c']) await api.post('/v1/runs', { workflow: 'any', runId });
    await (await Owner.claim(api.storage, { queue: 'default', workflow: 'any', version: 1 })).complete('1');
    await api.get('/v1/runs/a');
    await api.get('/nowhere');
    const answer = await api.get('/metrics');
    expect(answer.headers['content-type']).toMatch(/^text\/plain; version=/);
    expect(answer.body).toContain('millrace_http_request_duration_seconds_count{method="POST",route="/v1/runs",status="202"} 3');
    expect(answer.body).toContain('millrace_http_request_duration_seconds_count{method="GET",route="/v1/runs/:runId",status="200"} 1');
    expect(answer.body).toContain('route="unmatched",status="404"} 1');
    expect(answer.body).toContain('millrace_runs{workflow="any",status="active"} 2');
    expect(answer.body).toContain('millrace_runs{workflow="any",status="completed"} 1');
    expect(answer.body).toContain('millrace_store_up 1');
    expect(answer.body).toContain('process_cpu_seconds_total');
    const names = answer.body
      .split('\n')
      .filter((line) => line.startsWith('# TYPE '))
      .map((line) => line.split(' ')[2]);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('what workers announced', () => {
  it('lists workflows, newest version first, and workers with their state', async () => {
    const api = await track(startApi());
    const { workflows } = (await api.get('/v1/workflows')).json();
    expect(workflows.map(({ workflow }: { workflow: string }) => workflow)).toEqual(['any', 'greet']);
    expect(workflows[1]).toMatchObject({ version: 1, queue: 'default', inputSchema: { required: ['name'] } });
    await api.storage.registry.announce(worker({ incarnation: 'w2.BBBBBBBBBBB', name: 'w2', goodbye: true }), 60_000);
    await api.storage.registry.announce(worker({ incarnation: 'w3.CCCCCCCCCCC', name: 'w3' }), -1);
    const { workers } = (await api.get('/v1/workers')).json();
    expect(workers.map(({ name, state }: { name: string; state: string }) => [name, state])).toEqual([
      ['w1', 'live'],
      ['w2', 'gone'],
      ['w3', 'lost'],
    ]);
    expect(workers[0]).toMatchObject({ tasks: [{ queue: 'default', task: 'paint' }], lanes: [{ workflow: 'greet' }] });
    expect(workers[0]).not.toHaveProperty('processStart');
  });

  it('counts runs, and refuses a query', async () => {
    const api = await track(startApi());
    await api.post('/v1/runs', { workflow: 'any' });
    expect((await api.get('/v1/counts')).json()).toEqual({ counts: [{ workflow: 'any', status: 'active', count: 1 }] });
    for (const path of ['workflows', 'workers', 'counts']) expect((await api.get(`/v1/${path}?x=1`)).statusCode).toBe(400);
  });
});
