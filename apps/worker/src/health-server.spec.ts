import { afterEach, describe, expect, it } from '@jest/globals';
import type { WorkerHealth } from '@millrace/durable';
import { tracked } from '@millrace/storage/testing';
import { startHealthServer } from './health-server.js';

const track = tracked(afterEach);

async function serverWith(health: () => WorkerHealth) {
  const { url } = await track(startHealthServer({ host: '127.0.0.1', port: 0, health }));
  return async (path: string, init?: RequestInit) => {
    const response = await fetch(`${url}${path}`, init);
    return { status: response.status, body: await response.json() };
  };
}

describe('the health server', () => {
  it('tells that the process lives, and whether the worker takes work', async () => {
    let health: WorkerHealth = { isReady: true, problems: [] };
    const get = await serverWith(() => health);
    expect(await get('/health/live')).toEqual({ status: 200, body: { status: 'live' } });
    expect(await get('/health/ready?x=1')).toEqual({ status: 200, body: { status: 'ready', problems: [] } });
    health = { isReady: false, problems: ['deaf'] };
    expect(await get('/health/ready')).toEqual({ status: 503, body: { status: 'not ready', problems: ['deaf'] } });
  });

  it('answers nothing else', async () => {
    const get = await serverWith(() => ({ isReady: true, problems: [] }));
    expect((await get('/metrics')).status).toBe(404);
    expect((await get('/health/live', { method: 'POST' })).status).toBe(405);
  });
});
