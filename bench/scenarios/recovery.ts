import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { waitUntil } from '@millrace/storage/testing';
import { type BenchCase, type Lab, type Measured, type Ratio, type Rows, type Scenario, WrongResult } from '../harness/scenario.js';
import { builtFile } from '../support/built-file.js';
import { ClaimWatch } from '../support/claim-watch.js';
import { openClient } from '../support/client.js';
import { expectedLcg } from '../support/lcg-oracle.js';
import { type LedgerEntry, readLedger } from '../support/ledger.js';
import { slowScripts, watchSlowScripts } from '../support/slow-scripts.js';

const WORKFLOW = 'processes-ledger';
const TIMEOUT_MS = 120_000;
/** Of waits inside a sample: its own limit comes first. */
const WAIT_MS = 2 * TIMEOUT_MS;
const SLOW_SCRIPT_MS = 20;

/**
 * A worker process is killed with SIGKILL when half of the steps are confirmed and the next one runs. Another one is started on
 * the same host under the same name and with the default lease: it proves that the first is dead and takes its claim over at once.
 * Instants are CLOCK_MONOTONIC. The claim is heard of from Redis, the entry of a step is noted by the step itself, and the end is
 * when a client that waited was told of it.
 */
export const recovery: Scenario = {
  name: 'recovery',
  about: 'kill -9 of the worker when half of the steps are confirmed, and a new process goes on',
  cases: ({ quick }) => (quick ? [10] : [10, 100, 1000, 10_000]).map(recoveryCase),
  ratios: targets,
};

/** When what happened after the kill. */
interface Resumption {
  readonly startedAt: bigint;
  readonly claimedAt: bigint;
  readonly endedAt: bigint;
}

function recoveryCase(steps: number): BenchCase {
  return { row: { steps }, timeoutMs: TIMEOUT_MS, sample: (lab) => recover(lab, steps) };
}

async function recover(lab: Lab, steps: number): Promise<Measured> {
  const opened = await openClient(lab.redis.url);
  lab.onClose(() => opened.close());
  await watchSlowScripts(lab.redis.port);
  const ledgerFile = join(lab.redis.dir, 'ledger');

  const first = await startWorker(lab, { BENCH_LEDGER: ledgerFile, BENCH_HOLD_AT: String(steps / 2) });
  const { run } = await opened.client.submit({ workflow: WORKFLOW, input: { steps } });
  await waitUntil({ name: 'half of the steps', limitMs: WAIT_MS, pollMs: 5 }, () => {
    lab.signal.throwIfAborted();
    return existsSync(`${ledgerFile}.held`);
  });
  await first.kill();
  lab.progress(steps / 2, steps);
  const resumption = await resume(lab, ledgerFile, () => opened.client.wait(run.runId, { timeoutMs: WAIT_MS, signal: lab.signal }));

  const { status, output } = await opened.client.get(run.runId);
  if (status !== 'completed' || opened.decode(output) !== expectedLcg('0', steps)) {
    throw new WrongResult(`the run is ${status} with ${String(output)}`);
  }
  const ledger = await readLedger(ledgerFile);
  audit(ledger, steps);
  return { ...figures(resumption, ledger), ...(await scriptFigures(lab)) };
}

function startWorker(lab: Lab, env: Record<string, string>) {
  return lab.startWorker({ MILLRACE_WORKFLOWS: builtFile('workflows/processes'), MILLRACE_WORKER_NAME: 'recovering', ...env });
}

async function resume(lab: Lab, ledgerFile: string, untilEnd: () => Promise<unknown>): Promise<Resumption> {
  const claims = await ClaimWatch.start(lab.redis.port);
  lab.onClose(() => claims.close());
  const ended = untilEnd().then(() => process.hrtime.bigint());
  const startedAt = process.hrtime.bigint();
  const [endedAt] = await Promise.all([ended, startWorker(lab, { BENCH_LEDGER: ledgerFile })]);
  const claimedAt = claims.firstAt;
  if (claimedAt === null) throw new WrongResult('the run went on without a claim');
  return { startedAt, claimedAt, endedAt };
}

/** Each step was entered once, but for the one in flight: by either process once. */
function audit(ledger: readonly LedgerEntry[], steps: number): void {
  const entries = new Map<number, number>();
  for (const { step } of ledger) entries.set(step, (entries.get(step) ?? 0) + 1);
  for (let step = 0; step < steps; step++) {
    const expected = step === steps / 2 ? 2 : 1;
    const found = entries.get(step) ?? 0;
    if (found !== expected) throw new WrongResult(`step ${step} was entered ${found} times, not ${expected}`);
  }
}

function figures({ startedAt, claimedAt, endedAt }: Resumption, ledger: readonly LedgerEntry[]): Measured {
  const killed = ledger[0]?.pid;
  const resumedAt = ledger.find(({ pid }) => pid !== killed)?.at ?? 0n;
  return {
    startToClaimMs: ms(claimedAt - startedAt),
    claimToStepMs: ms(resumedAt - claimedAt),
    startToStepMs: ms(resumedAt - startedAt),
    startToEndMs: ms(endedAt - startedAt),
  };
}

async function scriptFigures(lab: Lab): Promise<Measured> {
  const slow = await slowScripts(lab.redis.port);
  return { slowestScriptMs: Math.max(0, ...slow), scriptsOver20MsCount: slow.filter((time) => time > SLOW_SCRIPT_MS).length };
}

function ms(ns: bigint): number {
  return Number(ns) / 1e6;
}

function targets(rows: Rows): Ratio[] {
  const ofLongest = (name: string) => rows.median({ steps: 10_000 }, name);
  return [
    { name: 'ms from the claim to the first new step, 10,000 steps', value: ofLongest('claimToStepMs'), target: { most: 150 } },
    { name: 'scripts over 20 ms, 10,000 steps', value: ofLongest('scriptsOver20MsCount'), target: { most: 0 } },
  ];
}
