import { forms } from '../forms.mjs';
import { checkRuns, openSession, warmUp } from '../measure.mjs';
import { lcg } from '../work.mjs';

const WARM_UP_STEPS = 10;

/**
 * One run of sequential steps, from the call that adds it to its result, with a worker that waits for work.
 *
 * @param {import('../measure.mjs').Bench} bench
 * @returns {Promise<{ wallMs: number, stepsPerSecond: number, completed: number }>}
 */
export async function chain(bench) {
  const { form, steps } = bench.settings;
  await warmUp(bench, forms[form](lcg, Math.min(steps, WARM_UP_STEPS)));

  let stepsDone = 0;
  const counted = {
    ...lcg,
    step: (/** @type {string} */ value) => {
      stepsDone += 1;
      return lcg.step(value);
    },
  };
  const session = await openSession(bench, forms[form](counted, steps));
  bench.done = () => stepsDone;
  await session.startIdle();

  const start = performance.now();
  await Promise.all([session.form.add(session, [0]), session.completed(1)]);
  const wallMs = performance.now() - start;

  const completed = await checkRuns(session, lcg, { runs: 1, steps });
  await session.close();
  return { wallMs, stepsPerSecond: (steps * 1000) / wallMs, completed };
}
