import { childrenValues, isRoot } from '../forms.mjs';
import { checkCompleted, checkResult, openSession, warmUp } from '../measure.mjs';
import { lcg } from '../work.mjs';

const WARM_UP_CHILDREN = 10;

/**
 * One run: a flow of tiny children, joined by their parent, which adds up what they returned; from the call that adds it to its
 * result, with a worker that waits for work. Only flows join children in BullMQ.
 *
 * @param {import('../measure.mjs').Bench} bench
 * @returns {Promise<{ wallMs: number, childrenPerSecond: number, completed: number }>}
 */
export async function fanout(bench) {
  const { form, children } = bench.settings;
  if (form !== 'flow') throw new Error('only a flow joins children: fanout needs --form flow');
  await warmUp(bench, joined(WARM_UP_CHILDREN));

  let childrenDone = 0;
  const session = await openSession(
    bench,
    joined(children, () => {
      childrenDone += 1;
    }),
  );
  bench.done = () => childrenDone;
  await session.startIdle();

  const start = performance.now();
  await Promise.all([session.form.add(session, [0]), session.completed(1)]);
  const wallMs = performance.now() - start;

  checkResult(session, 0, sum(Array.from({ length: children }, (_, child) => lcg.step(lcg.first(child)))));
  const completed = await checkCompleted(session, session.form.jobsPerRun);
  await session.close();
  return { wallMs, childrenPerSecond: (children * 1000) / wallMs, completed };
}

/**
 * @param {number} children
 * @param {() => void} [onChild]
 * @returns {import('../forms.mjs').Form}
 */
function joined(children, onChild = () => {}) {
  return {
    jobsPerRun: children + 1,
    add: async (session, runs) => {
      await session.flows.addBulk(runs.map((run) => tree(session.queue.name, run, children)));
    },
    process: async (job) => {
      if (isRoot(job)) return sum(await childrenValues(job));
      onChild();
      return lcg.step(job.data.value);
    },
    isLast: isRoot,
  };
}

/**
 * @param {string} queueName
 * @param {number} run
 * @param {number} children
 * @returns {import('bullmq').FlowJob}
 */
function tree(queueName, run, children) {
  const child = (/** @type {unknown} */ _, /** @type {number} */ index) => ({
    name: 'child',
    queueName,
    data: { value: lcg.first(index) },
  });
  return { name: 'join', queueName, data: { run }, children: Array.from({ length: children }, child) };
}

/** @param {readonly string[]} values */
function sum(values) {
  return BigInt.asUintN(
    64,
    values.reduce((total, value) => total + BigInt(value), 0n),
  ).toString();
}
