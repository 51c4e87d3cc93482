import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RedisCluster, startRedisCluster, waitUntil } from '@millrace/storage/testing';
import { MillraceHttp, type RunView } from '../examples/millrace-http.js';
import { AppProcess } from './support/app-process.js';

const RUNS = 40;

let cluster: RedisCluster;
let api: AppProcess;
let worker: AppProcess;
let url = '';
let http: MillraceHttp;

beforeAll(async () => {
  cluster = await startRedisCluster();
  const settings = { MILLRACE_REDIS_URL: cluster.url };
  api = AppProcess.start('api', { ...settings, MILLRACE_PORT: '0' });
  worker = AppProcess.start('worker', {
    ...settings,
    MILLRACE_WORKFLOWS: './dist/examples/index.js',
    MILLRACE_LEASE: '3s',
    MILLRACE_HEARTBEAT: '1s',
  });
  url = String((await api.logs(/(http:\/\/127\.0\.0\.1:\d+)/))[1]);
  http = new MillraceHttp({ url });
  await waitUntil({ name: 'an API that is ready', limitMs: 30_000 }, async () => (await fetch(new URL('/health/ready', url))).ok);
  await waitUntil({ name: 'the announcement of the worker', limitMs: 30_000 }, async () => {
    const { workers } = await get<{ workers: readonly object[] }>('/v1/workers');
    return workers.length > 0;
  });
}, 60_000);

afterAll(async () => {
  await Promise.all([api, worker].map((each) => each.close()));
  await cluster.stop();
});

async function get<T>(path: string): Promise<T> {
  const response = await fetch(new URL(path, url));
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}

async function listAll(limit: number): Promise<string[]> {
  const runIds: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: { runs: RunView[]; cursor: string | null } = await get(
      `/v1/runs?limit=${limit}${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    expect(page.runs.length).toBeLessThanOrEqual(limit);
    runIds.push(...page.runs.map(({ runId }) => runId));
    cursor = page.cursor;
  }
  return runIds;
}

describe('API and worker on a cluster', () => {
  it('submit, follow, wait, list, count, stop, and an audit finds nothing', async () => {
    const runs = await Promise.all(
      Array.from({ length: RUNS }, (_, n) => http.submit({ workflow: 'hello', runId: `run-${n}`, input: { name: `guest ${n}` } })),
    );
    const stream = fetch(new URL('/v1/runs/run-0/events', url)).then((response) => response.text());
    const ended = await Promise.all(runs.map(({ runId }) => http.end(runId)));
    expect(ended.map(({ status, output }) => [status, output])).toEqual(
      ended.map((_, n) => ['completed', expect.objectContaining({ shout: `HELLO, GUEST ${n}!` })]),
    );

    const events = (await stream).split('\n').filter((line) => line.startsWith('event: '));
    expect(events).toEqual(expect.arrayContaining(['event: status', 'event: steps', 'event: end']));
    expect(events.at(-1)).toBe('event: end');

    const runIds = runs.map(({ runId }) => runId);
    expect((await listAll(7)).toSorted()).toEqual(runIds.toSorted());
    expect(await get('/v1/counts')).toEqual({ counts: [{ workflow: 'hello', status: 'completed', count: RUNS }] });
    expect(await get('/health/ready')).toBeDefined();

    worker.signal('SIGTERM');
    api.signal('SIGTERM');
    expect(await Promise.all([worker.ended(), api.ended()])).toEqual([0, 0]);
    expect(`${worker.log}${api.log}`).not.toMatch(/MaxListeners|unhandled rejection|"level":(50|60)/);

    const env = { ...process.env, MILLRACE_REDIS_URL: cluster.url, NODE_OPTIONS: '' };
    const audit = spawnSync(process.execPath, [resolve(import.meta.dirname, '../scripts/audit.mjs')], { env, encoding: 'utf8' });
    expect(audit).toMatchObject({ status: 0, stdout: '', stderr: 'namespace default: nothing is wrong\n' });
  });
});
