import type { BenchCase, Ratio, Rows, Scenario, Settings } from '../harness/scenario.js';
import { drain } from '../support/drain.js';
import { peer } from '../support/peer.js';

const TIMEOUT_MS = 120_000;
/** Of a worker: what somebody sets who wants throughput of short steps. A worker holds as many runs. */
const CONCURRENCY = 200;
/** Of BullMQ's worker: beyond it nothing is gained. */
const PEER_CONCURRENCY = 100;
const SINGLE = { steps: 1, runs: 20_000 };
const TEN = { steps: 10, runs: 5000 };

/** The forms of BullMQ: a plain job; one whose data is updated after each step; each job adds the next; a flow. */
const peerForms = [
  { form: 'plain', ...SINGLE },
  { form: 'job', ...TEN },
  { form: 'chain', steps: 10, runs: 1000 },
  { form: 'flow', steps: 10, runs: 1000 },
];

/**
 * Rates are those of the drain: from the moment in which the workers may begin, when all runs are submitted, to the last confirmed
 * result. CPU is per run: `workerCpuUs` of all worker processes, `redisCpuUs` of the server.
 */
export const throughput: Scenario = {
  name: 'throughput',
  about: 'runs of 1 and of 10 steps, all submitted before 1 or 2 worker processes drain them',
  cases: (settings) => [...ours(settings), ...(settings.peers ? peers(settings) : [])],
  ratios: targets,
};

function ours({ quick }: Settings): BenchCase[] {
  const loads = quick ? [{ steps: 10, runs: 100 }] : [SINGLE, TEN];
  const fleets = quick ? [1] : [1, 2];
  const concurrency = quick ? 50 : CONCURRENCY;
  return loads.flatMap(({ steps, runs }) =>
    fleets.map((workers) => ({
      row: { system: 'millrace', form: 'code', steps, workers, concurrency, runs },
      timeoutMs: TIMEOUT_MS,
      sample: (lab) => drain(lab, { steps, runs, workers, concurrency, warmUp: runs / 10 }),
    })),
  );
}

function peers({ quick }: Settings): BenchCase[] {
  const concurrency = PEER_CONCURRENCY;
  return peerForms.map(({ form, steps, runs: all }) => {
    const runs = quick ? 50 : all;
    return {
      row: { system: 'bullmq', form, steps, workers: 1, concurrency, runs },
      timeoutMs: TIMEOUT_MS,
      sample: (lab) => peer(lab, 'throughput', { form, steps, runs, concurrency }, TIMEOUT_MS),
    };
  });
}

function targets(rows: Rows): Ratio[] {
  const rate = (row: Parameters<Rows['median']>[0]) => rows.median({ workers: 1, ...row }, 'runsPerSecond');
  const to = (form: string, steps: number) => rate({ system: 'millrace', steps }) / rate({ system: 'bullmq', form, steps });
  const ratios: Ratio[] = [
    { name: "runs/s of 1 step, to BullMQ's plain jobs", value: to('plain', 1), target: { least: 2.5 } },
    { name: "runs/s of 10 steps, to BullMQ's job with updated data", value: to('job', 10), target: { least: 1.7 } },
    { name: "runs/s of 10 steps, to BullMQ's chain of jobs", value: to('chain', 10) },
    { name: "runs/s of 10 steps, to BullMQ's flow", value: to('flow', 10), target: { least: 9 } },
  ];
  return rows.matching({ system: 'bullmq' }).length > 0 ? ratios : [];
}
