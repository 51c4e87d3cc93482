import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { rawCommand, startRedis, tracked, waitUntil } from '@millrace/storage/testing';
import { isAlive, type ListedProcess, QuickstartProcess } from './support/quickstart-process.js';

const track = tracked(afterEach);
const EVERYTHING = ['quickstart', 'redis', 'api', 'worker-1', 'worker-2'];

/** One folder for all tests: each start finds what the one before left. */
let dataFolder = '';
beforeAll(() => {
  dataFolder = mkdtempSync(join(tmpdir(), 'millrace-quickstart-'));
});
afterAll(() => rmSync(dataFolder, { recursive: true, force: true }));

const start = (...args: string[]) => track(new QuickstartProcess({ dataFolder, args }));
const alive = (processes: readonly ListedProcess[]) => processes.filter(({ pid }) => isAlive(pid)).map(({ name }) => name);

describe('npm run quickstart', () => {
  it('runs a real trace and an order, and with --once ends everything', async () => {
    const quickstart = await start('--once');
    const started = await quickstart.lists(...EVERYTHING);
    expect(started.map(({ name }) => name)).toEqual(EVERYTHING);
    expect(await quickstart.ends()).toBe(0);
    const { output } = quickstart;
    expect(output).toMatch(/the store is empty/);
    expect(output).toMatch(/10\/10 nodes done, 0 running on worker-[12]/);
    expect(output).toMatch(/checksum 07bb840e6294d433: the same as computed from the trace alone/);
    expect(output).toMatch(/charge +completed/);
    expect(output).toMatch(/completed on worker-[12]: \{"orderId":"order-1001"/);
    expect(output).toMatch(/nothing is left running\n$/);
    expect(alive(started)).toEqual([]);
  });

  it('finds the runs of the start before, serves a client, and ends with Ctrl-C', async () => {
    const quickstart = await start();
    await quickstart.says(/the store has 2 runs of earlier starts: 2 completed/);
    const started = await quickstart.lists(...EVERYTHING);
    await quickstart.says(/It keeps running/);

    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(quickstart.output)?.[0] ?? '';
    const trace = 'examples/wfinstances/traces/bacass-dirt02-001.json';
    const client = spawnSync(process.execPath, ['dist/examples/wfinstances/submit-trace.js', trace, '--scale', '2000', '--url', url], {
      encoding: 'utf8',
    });
    expect(client.stdout).toMatch(/completed: 11 of 11 tasks confirmed[\s\S]*: as expected\n$/);
    expect(client.status).toBe(0);

    // As a terminal and npm do it: twice.
    quickstart.signal('SIGINT');
    quickstart.signal('SIGINT');
    expect(await quickstart.ends()).toBe(0);
    expect(alive(started)).toEqual([]);
  });

  it('refuses to run twice, and ends what a killed one left', async () => {
    const killed = await start();
    const started = await killed.lists(...EVERYTHING);
    const second = await start();
    expect(await second.ends()).toBe(1);
    expect(second.output).toContain(`a quickstart runs already here, as process ${started[0]?.pid}`);

    killed.signal('SIGKILL');
    const services = started.filter(({ name }) => name !== 'redis');
    await waitUntil({ name: 'API and workers to end after the quickstart', limitMs: 45_000 }, () => alive(services).length === 0);
    const next = await start();
    await next.says(/an earlier quickstart left redis running/);
    await next.says(/one API on .* and two workers/);
    expect(alive(started)).toEqual([]);

    const workers = (await next.lists(...EVERYTHING)).filter(({ name }) => name.startsWith('worker'));
    process.kill(workers[0]?.pid ?? -1, 'SIGKILL');
    expect(await next.ends()).toBe(1);
    expect(next.output).toMatch(/worker-1 ended \(SIGKILL\)\. The last lines of .*worker-1\.log:\n\{/);
    expect(alive(workers)).toEqual([]);
  });

  it('uses the Redis of REDIS_URL and does not stop it', async () => {
    const redis = await track(startRedis());
    const quickstart = await track(new QuickstartProcess({ dataFolder, args: ['--once'], env: { REDIS_URL: redis.url } }));
    expect(await quickstart.ends()).toBe(0);
    expect(quickstart.output).toMatch(/Redis 7.* of REDIS_URL|Valkey .* of REDIS_URL/);
    expect(await rawCommand({ port: redis.port }, 'PING')).toContain('PONG');
  });

  it('says what to do when there is no Redis', async () => {
    const quickstart = await track(new QuickstartProcess({ dataFolder, env: { PATH: '' } }));
    expect(await quickstart.ends()).toBe(1);
    expect(quickstart.output).toMatch(/there is no Redis here[\s\S]*apt-get install -y redis-server[\s\S]*REDIS_URL=/);
  });

  it('refuses arguments that it does not know', async () => {
    const quickstart = await start('--twice');
    expect(await quickstart.ends()).toBe(1);
    expect(quickstart.output).toMatch(/--twice[\s\S]*usage: npm run quickstart/);
  });
});
