import { once } from 'node:events';
import { appendFileSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { type RunContext, type StepContext, workflow } from '@millrace/durable';
import { nextLcg } from './chain.js';

/** What worker processes of the benchmarks serve. */

/** Input of `processes-lcg`. */
export interface LcgInput {
  readonly steps: number;
  /** A 64-bit number, decimal. */
  readonly from: string;
}

/** Sequential steps, as those of `chain`, from a number of its own, so that runs differ in their results. */
const lcg = workflow({ name: 'processes-lcg', version: 1 }, async (run: RunContext, { steps, from }: LcgInput) => {
  let x = from;
  for (let i = 0; i < steps; i++) x = await run.step('lcg', () => nextLcg(x));
  return x;
});

/** One step that answers when it was entered: CLOCK_MONOTONIC in ns, which all processes of a machine share. */
const clock = workflow({ name: 'processes-clock', version: 1 }, (run: RunContext) =>
  run.step('clock', () => process.hrtime.bigint().toString()),
);

/** Input of `processes-ledger`. */
export interface LedgerInput {
  readonly steps: number;
}

/**
 * As `processes-lcg` from 0, and every step notes in the file BENCH_LEDGER that it was entered. With BENCH_HOLD_AT the step of
 * that number says so in the file `<ledger>.held` and never ends: all before it are confirmed, and it is in flight.
 */
const ledger = workflow({ name: 'processes-ledger', version: 1 }, async (run: RunContext, { steps }: LedgerInput) => {
  let x = '0';
  for (let i = 0; i < steps; i++) {
    x = await run.step('noted', (step) => {
      noteEntry(i, step);
      return i === holdAt ? holdForEver() : nextLcg(x);
    });
  }
  return x;
});

/**
 * One step that holds its place until the gate opens: it sends a byte to BENCH_GATE_PORT of loopback and ends when that answers.
 * As many as a worker may hold keep it from everything else.
 */
const hold = workflow({ name: 'processes-hold', version: 1 }, (run: RunContext) => run.step('hold', untilGateOpens));

let gate: { readonly socket: Socket; readonly opened: Promise<unknown> } | undefined;

async function untilGateOpens(): Promise<void> {
  gate ??= connectToGate();
  gate.socket.write('.');
  await gate.opened;
}

function connectToGate(): NonNullable<typeof gate> {
  const socket = connect(Number(process.env['BENCH_GATE_PORT']), '127.0.0.1');
  return { socket, opened: once(socket, 'data') };
}

const ledgerFile = process.env['BENCH_LEDGER'] ?? '';
const holdAt = Number(process.env['BENCH_HOLD_AT'] ?? -1);

/** In one write, so that a kill -9 leaves whole lines. */
function noteEntry(step: number, { attempt }: StepContext): void {
  appendFileSync(ledgerFile, `${process.pid} ${step} ${attempt} ${process.hrtime.bigint()}\n`);
}

function holdForEver(): Promise<string> {
  writeFileSync(`${ledgerFile}.held`, '');
  return new Promise<string>(() => undefined);
}

export const workflows = [lcg, hold, clock, ledger];
