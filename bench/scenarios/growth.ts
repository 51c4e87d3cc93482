import type { WorkerOptions } from '@millrace/durable';
import { startAllocationMeter } from '../harness/allocation-meter.js';
import type { BenchCase, Lab, Measured, Ratio, Rows, Scenario } from '../harness/scenario.js';
import { WrongResult } from '../harness/scenario.js';
import { expectedLcg } from '../support/lcg-oracle.js';
import { retainedRecord } from '../support/retained-record.js';
import { between, type Counted, readCounters, type Reading } from '../support/server-counters.js';
import { Tenths } from '../support/tenths.js';
import { untilQuiet } from '../support/until-quiet.js';
import { growthWorkflow } from '../workflows/growth.js';
import { chainLengths } from './roundtrip.js';

const TIMEOUT_MS = 180_000;
const LONGEST = 10_000;
const TARGETS = { time: 1.05, bytes: 1.03, stepBytesIn: 250, stepAofBytes: 200, runAofBytes: 1547, retainedBytes: 900 };
/** The background of an idle worker as rare as it may be, so that bytes and calls are those of the run. */
const QUIET: WorkerOptions = { pump: '10s', block: '30s', lease: '60s', heartbeat: '20s', reclaimIdle: '60s' };

/**
 * One run of N tiny steps, counted from before its submission until its result was read, with everything that a client and a worker
 * send. `commits` is the revision at the end. `retainedBytes` is the memory of Redis that the terminal run keeps. `allocatedBytes`
 * and `peakBytes` are heap of the thread in which the worker runs, and the client beside it, which submits and waits; not in them are
 * the heartbeats' thread and the bytes of sockets.
 */
export const growth: Scenario = {
  name: 'growth',
  about: 'what a run of N tiny steps costs in commits, bytes and memory, and its last tenth against its first',
  cases: (settings) => chainLengths(settings).map(growthCase),
  ratios,
};

function growthCase(steps: number): BenchCase {
  return { row: { steps }, timeoutMs: TIMEOUT_MS, sample: (lab) => measure(lab, steps) };
}

async function measure(lab: Lab, steps: number): Promise<Measured> {
  const { port } = lab.redis;
  const tenths = new Tenths(port, steps);
  let isMeasured = false;
  const workflow = growthWorkflow((step) => (isMeasured ? tenths.observe(step) : undefined));
  const { complete, client } = await lab.engine({ workflows: [workflow], worker: QUIET });
  // Connections and scripts are there before anything is counted.
  await complete(workflow.name, { steps: 1 });
  await untilQuiet(port);
  isMeasured = true;
  const stopMeter = startAllocationMeter();
  const before = await readCounters(port);
  const { runId, output } = await complete(workflow.name, { steps });
  const after = await readCounters(port);
  const { allocatedBytes, peakBytes } = stopMeter();
  if (output !== expectedLcg('0', steps).padStart(22, '0')) throw new WrongResult(`the run answered ${String(output)}`);
  const { revision } = await client.get(runId);
  const { recordBytes, indexBytes } = await retainedRecord(port, runId);
  const { bytesIn, bytesOut, aofBytes, scriptCalls } = total([before, ...tenths.readings, after]);
  return {
    commits: revision,
    scriptCalls,
    bytesIn,
    bytesOut,
    aofBytes,
    recordBytes,
    retainedBytes: recordBytes + indexBytes,
    allocatedBytes,
    peakBytes,
    ...tenths.figures(),
  };
}

/** Between the first and the last reading, without what those in between cost. */
function total(readings: readonly Reading[]): Counted {
  const parts = readings.slice(1).map((reading, at) => between(readings[at] as Reading, reading));
  return parts.reduce((sum, part) => ({
    bytesIn: sum.bytesIn + part.bytesIn,
    bytesOut: sum.bytesOut + part.bytesOut,
    aofBytes: sum.aofBytes + part.aofBytes,
    scriptCalls: sum.scriptCalls + part.scriptCalls,
    scriptUs: sum.scriptUs + part.scriptUs,
  }));
}

function ratios(rows: Rows): Ratio[] {
  const steps = Math.max(...rows.matching({}).map((row) => Number(row['steps'])));
  const of = (name: string, length = steps) => rows.median({ steps: length }, name);
  const lastToFirst = (name: string) => of(`lastTenth${name}`) / of(`firstTenth${name}`);
  const perStep = (name: string) => (of(name) - of(name, 1)) / (steps - 1);
  const when = (target: Ratio['target']) => (steps === LONGEST && target !== undefined ? { target } : {});
  return [
    { name: `last tenth / first tenth of ${steps} steps, time`, value: lastToFirst('StepUs'), ...when({ most: TARGETS.time }) },
    { name: `last tenth / first tenth of ${steps} steps, bytes in`, value: lastToFirst('StepBytesIn'), ...when({ most: TARGETS.bytes }) },
    { name: `last tenth / first tenth of ${steps} steps, AOF bytes`, value: lastToFirst('StepAofBytes'), ...when({ most: TARGETS.bytes }) },
    { name: `bytes in a step (${steps} steps less 1)`, value: perStep('bytesIn'), target: { most: TARGETS.stepBytesIn } },
    { name: `AOF bytes a step (${steps} steps less 1)`, value: perStep('aofBytes'), target: { most: TARGETS.stepAofBytes } },
    { name: 'AOF bytes of a 1-step run', value: of('aofBytes', 1), target: { most: TARGETS.runAofBytes } },
    { name: 'Redis memory of a retained 1-step run', value: of('retainedBytes', 1), target: { most: TARGETS.retainedBytes } },
    { name: `heap allocated a step (${steps} steps less 1)`, value: perStep('allocatedBytes') },
  ];
}
