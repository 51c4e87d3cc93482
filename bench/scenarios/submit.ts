import { laneName } from '@millrace/durable';
import { rawCommand } from '@millrace/storage/testing';
import {
  type BenchCase,
  type Lab,
  type Measured,
  type Ratio,
  type Rows,
  type Scenario,
  type Settings,
  WrongResult,
} from '../harness/scenario.js';
import { announceWorkflows } from '../support/announce.js';
import { builtFile } from '../support/built-file.js';
import { openClient } from '../support/client.js';
import { processCpuUs, redisCpuUs } from '../support/cpu.js';
import type { HttpLoad, HttpLoadResult } from '../support/http-load.js';
import { SupportProcess } from '../support/support-process.js';

const WORKFLOW = 'processes-lcg';
const LANE = laneName({ queue: 'default', workflow: WORKFLOW, version: 1 });
const ITEM = { workflow: WORKFLOW, input: { steps: 1, from: '1' } };
const TIMEOUT_MS = 120_000;

/** How a server is loaded: requests over keep-alive connections, each with one in flight. */
interface Way {
  readonly path: string;
  readonly expected: number;
  readonly connections: number;
  /** Runs a request. */
  readonly batch: number;
  readonly warmUp: number;
  readonly requests: number;
}

const single = { path: '/v1/runs', expected: 202, connections: 50, batch: 1, warmUp: 3000, requests: 20_000 } as const satisfies Way;
const batch = { path: '/v1/runs/batch', expected: 200, connections: 4, batch: 1000, warmUp: 10, requests: 60 } as const satisfies Way;

/** A server under load: where it listens, and what it is to have written. */
interface Target {
  readonly url: string;
  readonly pid: number;
  /** Submissions in Redis, by each way of counting them. */
  counts(): Promise<readonly number[]>;
}

/**
 * Submissions over HTTP while nothing executes them. `bare` is a Fastify route that does one XADD, loaded by the same generator
 * in the same way as `single`. The generator is a process of its own; the requests of its warm-up are not counted.
 */
export const submit: Scenario = {
  name: 'submit',
  about: 'submissions over HTTP, one or many a request, and a bare route that does one XADD',
  cases: (settings) => [
    submitCase('single', single, openApi, settings),
    submitCase('bare', single, openBare, settings),
    submitCase('batch', batch, openApi, settings),
  ],
  ratios: targets,
};

function submitCase(form: string, way: Way, open: (lab: Lab) => Promise<Target>, settings: Settings): BenchCase {
  const sized = settings.quick ? { ...way, warmUp: way.warmUp / 10, requests: way.requests / 20 } : way;
  return {
    row: { form, connections: way.connections, batch: way.batch },
    timeoutMs: TIMEOUT_MS,
    sample: async (lab) => measure(lab, await open(lab), sized),
  };
}

async function measure(lab: Lab, target: Target, way: Way): Promise<Measured> {
  const { path, expected, connections, warmUp, requests } = way;
  const body = JSON.stringify(way.batch === 1 ? ITEM : { runs: Array.from({ length: way.batch }, () => ITEM) });
  const load: HttpLoad = { url: target.url, request: { method: 'POST', path, body }, expected, connections, warmUp, requests };
  const generator = SupportProcess.start(lab, builtFile('support/http-load'), [JSON.stringify(load)]);
  await generator.says();
  const [serverFrom, redisFrom] = [processCpuUs(target.pid), await redisCpuUs(lab.redis.port)];
  const { wallMs, p50Ms, p99Ms } = JSON.parse(await generator.says()) as HttpLoadResult;
  const [serverTo, redisTo] = [processCpuUs(target.pid), await redisCpuUs(lab.redis.port)];
  await assertWritten(target, (warmUp + requests) * way.batch);
  const runs = requests * way.batch;
  return {
    runsPerSecond: (runs * 1000) / wallMs,
    p50Ms,
    p99Ms,
    serverCpuUs: (serverTo - serverFrom) / runs,
    redisCpuUs: (redisTo - redisFrom) / runs,
  };
}

async function assertWritten(target: Target, expected: number): Promise<void> {
  const written = await target.counts();
  if (written.some((count) => count !== expected)) {
    throw new WrongResult(`${expected} submissions were answered and ${written.join(' and ')} are in Redis`);
  }
}

async function openApi(lab: Lab): Promise<Target> {
  const { storage, close } = await openClient(lab.redis.url);
  lab.onClose(close);
  await announceWorkflows(storage, lab.redis.url);
  const { url, pid } = await lab.startApi();
  return {
    url,
    pid,
    /** Activations that wait in the lane, and records in the index. */
    counts: async () => {
      const [depth, counts] = await Promise.all([storage.inspector.laneDepth(LANE), storage.inspector.counts()]);
      return [depth, counts.find(({ workflow, status }) => workflow === WORKFLOW && status === 'active')?.count ?? 0];
    },
  };
}

async function openBare(lab: Lab): Promise<Target> {
  const bare = SupportProcess.start(lab, builtFile('support/bare-route'), [lab.redis.url]);
  const url = await bare.says();
  return { url, pid: bare.pid, counts: async () => [Number(await rawCommand({ port: lab.redis.port }, 'XLEN', 'bare'))] };
}

function targets(rows: Rows): Ratio[] {
  const rate = (form: string) => rows.median({ form }, 'runsPerSecond');
  return [
    { name: 'runs/s in batches', value: rate('batch'), target: { least: 8000 } },
    { name: 'runs/s single, to the bare route', value: rate('single') / rate('bare'), target: { least: 0.7 } },
  ];
}
