import { afterEach, describe, expect, it } from '@jest/globals';
import { tracked } from '@millrace/storage/testing';
import { announcement, startApi } from '../testing/api-harness.js';

const track = tracked(afterEach);

describe('submission of graphs', () => {
  const paint = (id: string, after: string[] = []) => ({ id, task: 'paint', after });

  it('takes a graph as data', async () => {
    const api = await track(startApi());
    const graph = { nodes: [paint('a'), paint('b', ['a'])] };
    const answer = await api.post('/v1/runs', { graph, input: { n: 1 }, queue: 'fast' });
    expect(answer.statusCode).toBe(202);
    expect(answer.json()).toMatchObject({ workflow: 'graph', version: 1, queue: 'fast', input: { graph, input: { n: 1 } } });
  });

  it('names every fault of a graph at once', async () => {
    const api = await track(startApi());
    const answer = await api.post('/v1/runs', {
      graph: { nodes: [paint('a', ['b']), paint('b', ['a', 'nowhere']), paint('a'), { id: 'c' }] },
    });
    expect(answer.statusCode).toBe(422);
    expect(answer.json().code).toBe('invalid_input');
    expect(answer.json().problems.length).toBeGreaterThanOrEqual(4);
  });

  it('refuses a task that no worker announced, with near names', async () => {
    const api = await track(startApi());
    const answer = await api.post('/v1/runs', { graph: { nodes: [{ id: 'a', task: 'paimt' }] } });
    expect(answer.json()).toMatchObject({ status: 422, code: 'unknown_task', task: 'paimt', near: ['paint'] });
  });

  it('keeps the built-in workflow for graphs', async () => {
    const api = await track(startApi());
    await api.storage.registry.announceWorkflows([announcement('graph')]);
    expect((await api.post('/v1/runs', { workflow: 'graph', input: {} })).json()).toMatchObject({ status: 422, code: 'invalid_input' });
  });
});
