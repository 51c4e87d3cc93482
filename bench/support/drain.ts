import type { RunHead } from '@millrace/durable';
import { type Lab, type Measured, WrongResult } from '../harness/scenario.js';
import type { LcgInput } from '../workflows/processes.js';
import { builtFile } from './built-file.js';
import { type OpenClient, openClient } from './client.js';
import { processCpuUs, redisCpuUs } from './cpu.js';
import { Gate } from './gate.js';
import { expectedLcg } from './lcg-oracle.js';
import { readRuns } from './read-runs.js';
import { submitBatches } from './submit-batches.js';
import { untilCompleted } from './until-completed.js';

const WORKFLOW = 'processes-lcg';
const HOLD = 'processes-hold';

/** Runs to submit, and who drains them. */
export interface Load {
  readonly runs: number;
  /** Sequential steps of each run. */
  readonly steps: number;
  /** Worker processes. */
  readonly workers: number;
  /** Of each worker, and how many runs it holds. */
  readonly concurrency: number;
  /** Runs before all that, not counted, so that code is compiled. */
  readonly warmUp: number;
}

/** An API and worker processes, all of whose places are held. */
interface Site {
  readonly opened: OpenClient;
  readonly gate: Gate;
  readonly apiUrl: string;
  readonly pids: readonly number[];
}

/**
 * Submits all runs through the API while every place of the worker processes is held, then lets go and measures until the last
 * result is confirmed. What held the places ends within the time that is measured and is not counted. Both instants are of the
 * server's clock, ms.
 */
export async function drain(lab: Lab, load: Load): Promise<Measured> {
  const site = await prepare(lab, load);
  const inputs = inputsOf(load.runs, load.steps);
  const submittedFrom = performance.now();
  const runIds = await submitBatches(site.apiUrl, WORKFLOW, inputs);
  const submitMs = performance.now() - submittedFrom;
  const { openedAt, cpu } = await letGo(lab, site, load);
  const heads = await readRuns(site.opened.storage, runIds);
  check(site.opened, heads, inputs);
  const drainMs = Math.max(...heads.map(({ endedAt }) => endedAt ?? Number.NaN)) - openedAt;
  return {
    submittedRunsPerSecond: perSecond(load.runs, submitMs),
    drainMs,
    runsPerSecond: perSecond(load.runs, drainMs),
    stepsPerSecond: perSecond(load.runs * load.steps, drainMs),
    workerCpuUs: cpu.workersUs / load.runs,
    redisCpuUs: cpu.redisUs / load.runs,
  };
}

async function prepare(lab: Lab, load: Load): Promise<Site> {
  const opened = await openClient(lab.redis.url);
  lab.onClose(() => opened.close());
  const gate = await Gate.start();
  lab.onClose(() => gate.close());
  const [{ url: apiUrl }, workers] = await Promise.all([lab.startApi(), startWorkers(lab, load, gate)]);
  await submitBatches(apiUrl, WORKFLOW, inputsOf(load.warmUp, load.steps));
  await untilCompleted(lab, { storage: opened.storage, workflow: WORKFLOW, runs: load.warmUp });
  const places = Array.from({ length: load.workers * load.concurrency }, () => null);
  await submitBatches(apiUrl, HOLD, places);
  await gate.waiting(places.length, lab.signal);
  return { opened, gate, apiUrl, pids: workers.map(({ pid }) => pid) };
}

/** Resolves when all runs are completed, with the server's time at which they might begin and the CPU time since. */
async function letGo(lab: Lab, { opened: { storage }, gate, pids }: Site, { warmUp, runs }: Load) {
  const before = await readCpu(lab, pids);
  const openedAt = await storage.runs.now();
  gate.open();
  await untilCompleted(lab, { storage, workflow: WORKFLOW, runs: warmUp + runs });
  const after = await readCpu(lab, pids);
  return { openedAt, cpu: { workersUs: after.workersUs - before.workersUs, redisUs: after.redisUs - before.redisUs } };
}

function startWorkers(lab: Lab, { workers, concurrency }: Load, gate: Gate) {
  return lab.startWorkers(workers, {
    MILLRACE_WORKFLOWS: builtFile('workflows/processes'),
    MILLRACE_CONCURRENCY: String(concurrency),
    MILLRACE_CLAIMS: String(concurrency),
    BENCH_GATE_PORT: String(gate.port),
  });
}

function inputsOf(runs: number, steps: number): LcgInput[] {
  return Array.from({ length: runs }, (_, i) => ({ steps, from: String(i) }));
}

async function readCpu(lab: Lab, pids: readonly number[]): Promise<{ workersUs: number; redisUs: number }> {
  const workersUs = pids.reduce((sum, pid) => sum + processCpuUs(pid), 0);
  return { workersUs, redisUs: await redisCpuUs(lab.redis.port) };
}

/** Every run is completed with its own right output. */
function check({ decode }: OpenClient, heads: readonly RunHead[], inputs: readonly LcgInput[]): void {
  heads.forEach(({ runId, status, output }, i) => {
    const { from = '', steps = 0 } = inputs[i] ?? {};
    const expected = expectedLcg(from, steps);
    if (status !== 'completed' || decode(output) !== expected) {
      throw new WrongResult(`run ${runId} is ${status} with ${String(output)}, not completed with ${expected}`);
    }
  });
}

function perSecond(count: number, ms: number): number {
  return (count * 1000) / ms;
}
