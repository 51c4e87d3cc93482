import { setTimeout as delay } from 'node:timers/promises';
import { systemRandomness } from '@millrace/durable';
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
import { builtFile } from '../support/built-file.js';
import { openClient } from '../support/client.js';
import { HttpConnection } from '../support/http-connection.js';
import { percentile } from '../support/percentile.js';

const WORKFLOW = 'processes-clock';
const TIMEOUT_MS = 60_000;
/** Between a result and the next submission, ms: long enough that everything is idle, and in step with no timer. */
const GAP = { least: 2, spread: 6 };
/** Not counted: the first ones of a process run code that is not compiled yet. */
const WARM_UP = 100;

/** Instants are CLOCK_MONOTONIC in ns, which the processes of a machine share. */
interface Passage {
  readonly submittedAt: bigint;
  /** The step's function was entered. */
  readonly enteredAt: bigint;
  /** Its result was here. */
  readonly answeredAt: bigint;
}

/** Submits one run, waits for its result, and answers when what happened. */
type Submit = () => Promise<Passage>;

/**
 * An idle API and an idle worker process with their defaults, one run at a time. `submit: http` counts from the moment in which the
 * client hands the bytes of `POST /v1/runs` to its socket, over a connection that is open; the result comes by `GET …?wait=30s`.
 * `submit: library` counts from the call of `client.submit` in a process that uses the library; the result comes by `client.wait`.
 */
export const latency: Scenario = {
  name: 'latency',
  about: 'idle system, one run at a time: submission to the first step, and to the result',
  cases: (settings) => [latencyCase('http', openHttp, settings), latencyCase('library', openLibrary, settings)],
  ratios: targets,
};

function latencyCase(submit: string, open: (lab: Lab) => Promise<Submit>, { quick }: Settings): BenchCase {
  const runs = quick ? 40 : 500;
  return {
    row: { submit, runs },
    timeoutMs: TIMEOUT_MS,
    async sample(lab) {
      await lab.startWorker({ MILLRACE_WORKFLOWS: builtFile('workflows/processes') });
      const submitOne = await open(lab);
      await passages(lab, submitOne, quick ? 10 : WARM_UP);
      return summary(await passages(lab, submitOne, runs));
    },
  };
}

async function passages(lab: Lab, submit: Submit, count: number): Promise<Passage[]> {
  const all: Passage[] = [];
  while (all.length < count) {
    lab.signal.throwIfAborted();
    await delay(GAP.least + systemRandomness.fraction() * GAP.spread);
    const passage = await submit();
    if (passage.enteredAt < passage.submittedAt || passage.enteredAt > passage.answeredAt) {
      throw new WrongResult('a step was not entered between its submission and its result');
    }
    all.push(passage);
    lab.progress(all.length, count);
  }
  return all;
}

function summary(all: readonly Passage[]): Measured {
  const toStep = all.map(({ submittedAt, enteredAt }) => ms(enteredAt - submittedAt));
  const toResult = all.map(({ submittedAt, answeredAt }) => ms(answeredAt - submittedAt));
  return {
    stepP50Ms: percentile(toStep, 50),
    stepP99Ms: percentile(toStep, 99),
    resultP50Ms: percentile(toResult, 50),
    resultP99Ms: percentile(toResult, 99),
  };
}

function ms(ns: bigint): number {
  return Number(ns) / 1e6;
}

async function openHttp(lab: Lab): Promise<Submit> {
  const { url } = await lab.startApi();
  const connection = await HttpConnection.open(url);
  lab.onClose(() => connection.close());
  const submission = connection.encode({ method: 'POST', path: '/v1/runs', body: JSON.stringify({ workflow: WORKFLOW }) });
  return async () => {
    const submittedAt = process.hrtime.bigint();
    const submitted = await connection.send(submission);
    const { runId } = JSON.parse(submitted.body.toString()) as { readonly runId: string };
    const answer = await connection.send(connection.encode({ method: 'GET', path: `/v1/runs/${runId}?wait=30s` }));
    const answeredAt = process.hrtime.bigint();
    const { status, output } = JSON.parse(answer.body.toString()) as { readonly status: string; readonly output: unknown };
    return { submittedAt, enteredAt: entered(status, output), answeredAt };
  };
}

async function openLibrary(lab: Lab): Promise<Submit> {
  const { client, decode, close } = await openClient(lab.redis.url);
  lab.onClose(close);
  return async () => {
    const submittedAt = process.hrtime.bigint();
    const { run } = await client.submit({ workflow: WORKFLOW });
    const head = await client.wait(run.runId, { timeoutMs: 30_000, signal: lab.signal });
    const answeredAt = process.hrtime.bigint();
    return { submittedAt, enteredAt: entered(head.status, decode(head.output)), answeredAt };
  };
}

function entered(status: string, output: unknown): bigint {
  if (status !== 'completed' || typeof output !== 'string') throw new WrongResult(`a run is ${status} with ${String(output)}`);
  return BigInt(output);
}

/** They are meant for `--fsync everysec`; with `always` each of the writes on the way waits for the disk. */
function targets(rows: Rows): Ratio[] {
  return ['http', 'library'].flatMap((submit) => [
    { name: `ms to the first step, p50, ${submit}`, value: rows.median({ submit }, 'stepP50Ms'), target: { most: 1.2 } },
    { name: `ms to the first step, p99, ${submit}`, value: rows.median({ submit }, 'stepP99Ms'), target: { most: 4 } },
  ]);
}
