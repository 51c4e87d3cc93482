import { basename } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeEntry, type StepEntry } from '@millrace/durable';
import { RedisStorage } from '@millrace/storage';
import { type RedisServer, startRedis, waitUntil } from '@millrace/storage/testing';
import { criticalPathMs, depth, expectedChecksum, totalRuntimeMs } from '../examples/wfinstances/expected-results.js';
import { readTrace, type Trace, traceToGraph } from '../examples/wfinstances/load-trace.js';
import { finalChecksum, type Outputs } from '../examples/wfinstances/simulate.js';
import { parseTraceFile, traceFiles } from '../examples/wfinstances/trace-files.js';
import { MillraceHttp } from '../examples/millrace-http.js';
import { AppProcess } from './support/app-process.js';

const CONCURRENCY = 50;
/** The longest chain of a trace is scaled to this. */
const CRITICAL_PATH_MS = 3_000;
const LARGE = 1_000;

let redis: RedisServer;
let storage: RedisStorage;
let api: AppProcess;
let http: MillraceHttp;
const workers = new Map<string, AppProcess>();
let started = 0;

async function startWorker(): Promise<void> {
  started += 1;
  const name = `trace-worker-${started}`;
  workers.set(
    name,
    AppProcess.start('worker', {
      MILLRACE_REDIS_URL: redis.url,
      MILLRACE_WORKFLOWS: './dist/examples/index.js',
      MILLRACE_WORKER_NAME: name,
      MILLRACE_CONCURRENCY: String(CONCURRENCY),
      MILLRACE_LEASE: '4s',
      MILLRACE_HEARTBEAT: '1s',
      MILLRACE_LOG_LEVEL: 'warn',
    }),
  );
  await waitUntil({ name: `the announcement of ${name}`, limitMs: 30_000 }, async () =>
    (await storage.registry.workers()).some((worker) => worker.name === name),
  );
}

beforeAll(async () => {
  redis = await startRedis();
  storage = await RedisStorage.open({ url: redis.url, namespace: 'default' });
  api = AppProcess.start('api', { MILLRACE_REDIS_URL: redis.url, MILLRACE_PORT: '0' });
  const [, url] = await api.logs(/(http:\/\/127\.0\.0\.1:\d+)/);
  http = new MillraceHttp({ url: String(url) });
  await Promise.all([startWorker(), startWorker()]);
});

afterAll(async () => {
  await Promise.all([...workers.values(), api].map((each) => each.close()));
  await storage.close();
  await redis.stop();
});

/** Every entry of the journal by node id. A second entry of a node fails. */
async function nodesOf(runId: string): Promise<Map<string, StepEntry>> {
  const nodes = new Map<string, StepEntry>();
  for (let from: number | null = 0; from !== null; ) {
    const page: Awaited<ReturnType<typeof storage.inspector.readJournal>> = await storage.inspector.readJournal({
      runId,
      from,
      journalEnd: 0,
    });
    for (const [journalNumber, value] of page.entries) {
      const entry = decodeEntry(value, journalNumber);
      if (entry?.kind !== 'step') throw new Error(`entry ${journalNumber} is ${value}`);
      expect(nodes.has(entry.name)).toBe(false);
      nodes.set(entry.name, entry);
    }
    from = page.next;
  }
  return nodes;
}

/** Every task confirmed once, none started before all its predecessors were confirmed, the checksum right. */
async function check(trace: Trace, runId: string, output: unknown): Promise<Map<string, StepEntry>> {
  const nodes = await nodesOf(runId);
  expect(nodes.size).toBe(trace.tasks.length);
  for (const { id, parents } of trace.tasks) {
    const node = nodes.get(id);
    expect(node).toMatchObject({ state: 'completed' });
    for (const parent of parents) expect(node?.startedAfter).toBeGreaterThanOrEqual(nodes.get(parent)?.endedAfter ?? Number.NaN);
  }
  expect(finalChecksum(output as Outputs)).toBe(expectedChecksum(trace));
  return nodes;
}

const traces = traceFiles().map((path) => ({ name: basename(path, '.json'), trace: readTrace(parseTraceFile(path)) }));
const scaleOf = (trace: Trace) => criticalPathMs(trace, 1) / CRITICAL_PATH_MS;

describe('real traces over HTTP and two workers', () => {
  it.each(traces)('$name, undisturbed', async ({ trace }) => {
    const scale = scaleOf(trace);
    const { runId } = await http.submit({ graph: traceToGraph(trace, scale) });
    const run = await http.end(runId);
    expect(run).toMatchObject({ status: 'completed', error: null });
    const nodes = await check(trace, runId, run.output);
    expect([...nodes.values()].filter(({ used }) => used !== 1)).toEqual([]);

    const tookMs = Date.parse(String(run.endedAt)) - Date.parse(String(run.startedAt));
    const least = Math.max(criticalPathMs(trace, scale), totalRuntimeMs(trace, scale) / CONCURRENCY);
    expect(tookMs).toBeLessThanOrEqual(1.3 * least + 5 * depth(trace) + trace.tasks.length);
  });

  it.each(traces.filter(({ trace }) => trace.tasks.length > LARGE))('$name, its worker killed at half', async ({ trace }) => {
    const { runId } = await http.submit({ graph: traceToGraph(trace, scaleOf(trace)) });
    const half = Math.floor(trace.tasks.length / 2);
    await waitUntil(
      { name: `${half} confirmed tasks`, limitMs: 30_000 },
      async () => ((await storage.inspector.getProgress(runId))?.revision ?? 0) > 1 && (await confirmedAtLeast(runId, half)),
    );
    const before = await nodesOf(runId);
    const holder = String((await storage.inspector.getRun(runId))?.owner);
    const [name, worker] = [...workers].find(([each]) => holder.startsWith(each)) ?? ['', undefined];
    await worker?.close();
    expect(worker?.isAlive).toBe(false);
    workers.delete(name);
    const run = await http.end(runId);
    expect(run).toMatchObject({ status: 'completed', error: null });
    const nodes = await check(trace, runId, run.output);
    // What was confirmed before the kill was not executed again: its entry is as it was.
    for (const [id, entry] of before) if (entry.state === 'completed') expect(nodes.get(id)).toEqual(entry);
    expect([...nodes.values()].filter(({ used }) => used > 2)).toEqual([]);
    expect((await storage.inspector.getRun(runId))?.owner).not.toBe(holder);
    await startWorker();
  });

  it('leaves a namespace that the auditor finds nothing wrong with', async () => {
    const findings: unknown[] = [];
    await storage.auditor.walk({ repair: false }, (finding) => findings.push(finding));
    expect(findings).toEqual([]);
  });
});

async function confirmedAtLeast(runId: string, count: number): Promise<boolean> {
  let confirmed = 0;
  for (const { state } of (await nodesOf(runId)).values()) if (state === 'completed') confirmed += 1;
  return confirmed >= count;
}
