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
import { median } from '../harness/statistics.js';
import { builtFile } from '../support/built-file.js';
import { expectedLcg } from '../support/lcg-oracle.js';
import type { ReadResult } from '../support/read-result.js';
import { SupportProcess } from '../support/support-process.js';
import { workflows } from '../workflows/processes.js';

const WORKFLOW = 'processes-lcg';
const TIMEOUT_MS = 120_000;

/**
 * A run of so many steps has ended; then new processes, one after the other, connect with the library, read its result once and end.
 * Each measures inside itself: `connectAndReadMs` from before it connects, `readMs` the one read with the decoding of the output.
 * A sample is the median of its processes.
 */
export const reopen: Scenario = {
  name: 'reopen',
  about: 'the result of an ended run, read through a new process',
  cases: (settings) => (settings.quick ? [10, 100] : [10, 100, 1000, 10_000]).map((steps) => reopenCase(steps, settings)),
  ratios: targets,
};

function reopenCase(steps: number, { quick }: Settings): BenchCase {
  const processes = quick ? 1 : 11;
  return {
    row: { steps, processes },
    timeoutMs: TIMEOUT_MS,
    async sample(lab) {
      const runId = await complete(lab, steps);
      const results: ReadResult[] = [];
      while (results.length < processes) {
        results.push(await readOnce(lab, runId, steps));
        lab.progress(results.length, processes);
      }
      return summary(results);
    },
  };
}

/** Runs it in a worker of this process, which has stopped before anything is read. */
async function complete(lab: Lab, steps: number): Promise<string> {
  const engine = await lab.engine({ workflows });
  const { runId } = await engine.complete(WORKFLOW, { steps, from: '0' });
  await engine.worker.stop();
  return runId;
}

async function readOnce(lab: Lab, runId: string, steps: number): Promise<ReadResult> {
  lab.signal.throwIfAborted();
  const result = JSON.parse(await SupportProcess.start(lab, builtFile('support/read-result'), [lab.redis.url, runId]).says()) as ReadResult;
  if (result.status !== 'completed' || result.output !== expectedLcg('0', steps)) {
    throw new WrongResult(`a new process found the run ${result.status} with ${String(result.output)}`);
  }
  return result;
}

function summary(results: readonly ReadResult[]): Measured {
  return {
    connectAndReadMs: median(results.map(({ connectAndReadMs }) => connectAndReadMs)),
    readMs: median(results.map(({ readMs }) => readMs)),
  };
}

function targets(rows: Rows): Ratio[] {
  return ['readMs', 'connectAndReadMs'].map((name) => ({
    name: `${name}, 10,000 steps to 10`,
    value: rows.median({ steps: 10_000 }, name) / rows.median({ steps: 10 }, name),
    target: { most: 1.5 },
  }));
}
