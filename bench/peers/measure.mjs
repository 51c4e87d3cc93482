import { Session } from './session.mjs';
import { expectedValue } from './work.mjs';

/**
 * @typedef {object} Settings
 * @property {keyof typeof import('./forms.mjs').forms} form
 * @property {number} runs
 * @property {number} steps
 * @property {number} concurrency
 * @property {number} children
 * @property {number} payloadBytes
 *
 * @typedef {object} Bench
 * @property {import('./connections.mjs').Connections} connections
 * @property {Settings} settings
 * @property {() => number} done How far the measurement came; asked when it takes too long. Scenarios replace it.
 */

const WARM_UP_RUNS = 100;

/** Jobs that one call adds, which BullMQ sends as one transaction. Larger calls added no faster, calls of 50 jobs slower. */
const JOBS_A_CALL = 1000;

/**
 * Runs a few small runs of the form on a queue of their own and removes them: code is compiled then, the server knows the scripts,
 * and the connections know that it does. What is compared with is measured warm too.
 *
 * @param {Bench} bench
 * @param {import('./forms.mjs').Form} form
 */
export async function warmUp({ connections, settings }, form) {
  const session = new Session(connections, 'warm-up', form, settings.concurrency);
  await session.ready();
  await addRuns(session, WARM_UP_RUNS);
  session.start();
  await session.completed(WARM_UP_RUNS);
  await session.queue.obliterate({ force: true });
  await session.close();
}

/**
 * A session on the queue that is measured, connected and not running.
 *
 * @param {Bench} bench
 * @param {import('./forms.mjs').Form} form
 */
export async function openSession(bench, form) {
  const session = new Session(bench.connections, 'bench', form, bench.settings.concurrency);
  bench.done = () => session.results.size;
  await session.ready();
  return session;
}

/**
 * Adds runs 0 … runs − 1 in bulk.
 *
 * @param {Session} session
 * @param {number} runs
 */
export async function addRuns(session, runs) {
  const runsACall = Math.max(1, Math.floor(JOBS_A_CALL / session.form.jobsPerRun));
  for (let from = 0; from < runs; from += runsACall) {
    const length = Math.min(runsACall, runs - from);
    await session.form.add(
      session,
      Array.from({ length }, (_, index) => from + index),
    );
  }
}

/**
 * The oracle of runs of steps: each run ended with the value computed here, and the queue holds its jobs as completed and no other.
 *
 * @param {Session} session
 * @param {import('./work.mjs').Work} work
 * @param {{ runs: number, steps: number }} expected
 * @returns {Promise<number>} How many jobs completed.
 */
export async function checkRuns(session, work, { runs, steps }) {
  for (let run = 0; run < runs; run += 1) checkResult(session, run, expectedValue(work, run, steps));
  return checkCompleted(session, runs * session.form.jobsPerRun);
}

/**
 * @param {Session} session
 * @param {number} run
 * @param {string} expected
 */
export function checkResult(session, run, expected) {
  const result = session.results.get(run);
  if (result !== expected) throw new Error(`wrong result: run ${run} ended with ${result}, expected ${expected}`);
}

/**
 * @param {Session} session
 * @param {number} jobs
 * @returns {Promise<number>} The same number, when the queue agrees.
 */
export async function checkCompleted(session, jobs) {
  const { completed, ...others } = await session.queue.getJobCounts();
  const left = Object.entries(others).filter(([, count]) => count > 0);
  if (completed !== jobs || left.length > 0) {
    throw new Error(`wrong result: ${completed} jobs completed, expected ${jobs}; left: ${JSON.stringify(Object.fromEntries(left))}`);
  }
  return jobs;
}
