/**
 * The usual ways to write a run of several steps on BullMQ. None removes completed jobs: keeping them is BullMQ's default, and
 * what it is compared with keeps its runs too.
 *
 * @typedef {import('bullmq').Job} Job
 * @typedef {import('bullmq').Queue} Queue
 * @typedef {import('bullmq').FlowJob} FlowJob
 * @typedef {import('./session.mjs').Session} Session
 * @typedef {import('./work.mjs').Work} Work
 *
 * @typedef {object} Form
 * @property {number} jobsPerRun
 * @property {(session: Session, runs: readonly number[]) => Promise<void>} add Adds these runs in one call to BullMQ.
 * @property {(job: Job, queue: Queue) => Promise<string | undefined>} process The processor of the worker.
 * @property {(job: Job) => boolean} isLast Whether the completion of this job completes its run. Its data holds `run`.
 */

/** Forms by name; each takes the work and the steps of a run. */
export const forms = { plain, job, chain, flow };

/**
 * One job, nothing saved between its steps: BullMQ's plain job. It can lose no step only when it has one.
 *
 * @param {Work} work
 * @param {number} steps Must be 1.
 * @returns {Form}
 */
function plain(work, steps) {
  if (steps !== 1) throw new Error('a plain job saves nothing between steps: --form plain needs --steps 1');
  return {
    jobsPerRun: 1,
    add: (session, runs) => addJobs(session, runs, (run) => ({ run, value: work.first(run) })),
    process: async (current) => work.step(current.data.value),
    isLast: () => true,
  };
}

/**
 * One job, its data updated after each step, as the documentation's pattern "process step jobs" has it: a retry goes on after
 * the last step that was saved. What a step returned and what comes next are saved in one call.
 *
 * @param {Work} work
 * @param {number} steps
 * @returns {Form}
 */
function job(work, steps) {
  return {
    jobsPerRun: 1,
    add: (session, runs) => addJobs(session, runs, (run) => ({ run, value: work.first(run), step: 0 })),
    process: async (current) => {
      let { value, step } = current.data;
      for (; step < steps; step += 1) {
        value = work.step(value);
        await current.updateData({ run: current.data.run, value, step: step + 1 });
      }
      return value;
    },
    isLast: () => true,
  };
}

/**
 * One job a step; each adds the next one before it completes. The id of the next one comes from its run and step, so that a job
 * which is run again adds nothing twice. Only the last one returns its value: those before it gave theirs to the next job.
 *
 * @param {Work} work
 * @param {number} steps
 * @returns {Form}
 */
function chain(work, steps) {
  const isLast = (/** @type {Job} */ current) => current.data.step === steps - 1;
  return {
    jobsPerRun: steps,
    add: (session, runs) => addJobs(session, runs, (run) => ({ run, value: work.first(run), step: 0 })),
    process: async (current, queue) => {
      const value = work.step(current.data.value);
      if (isLast(current)) return value;
      const { run, step } = current.data;
      await queue.add('step', { run, value, step: step + 1 }, { jobId: `${run}-${step + 1}` });
      return undefined;
    },
    isLast,
  };
}

/**
 * One flow a run, one job a step: the last step is the root, and each step is the one child of the next. A step reads the value of
 * its child; the first one has its input as data. BullMQ checks a flow recursively before it adds it: with Node's default stack
 * 5,000 steps are possible, 7,000 are not.
 *
 * @param {Work} work
 * @param {number} steps
 * @returns {Form}
 */
function flow(work, steps) {
  return {
    jobsPerRun: steps,
    add: async (session, runs) => {
      try {
        await session.flows.addBulk(runs.map((run) => sequence(session.queue.name, run, work.first(run), steps)));
      } catch (error) {
        throw error instanceof RangeError ? new Error(`BullMQ cannot add a flow ${steps} jobs deep`, { cause: error }) : error;
      }
    },
    process: async (current) => work.step(current.data.value ?? (await childrenValues(current))[0]),
    isLast: isRoot,
  };
}

/**
 * Values of a flow job's children, in no order.
 *
 * @param {Job} parent
 * @returns {Promise<string[]>}
 */
export async function childrenValues(parent) {
  return Object.values(await parent.getChildrenValues());
}

/**
 * Whether a job of a flow has no parent.
 *
 * @param {Job} current
 */
export function isRoot(current) {
  return current.parentKey === undefined;
}

/**
 * @param {Session} session
 * @param {readonly number[]} runs
 * @param {(run: number) => object} dataOf
 */
async function addJobs(session, runs, dataOf) {
  await session.queue.addBulk(runs.map((run) => ({ name: 'step', data: dataOf(run) })));
}

/**
 * @param {string} queueName
 * @param {number} run
 * @param {string} value
 * @param {number} steps
 * @returns {FlowJob}
 */
function sequence(queueName, run, value, steps) {
  /** @type {FlowJob} */
  let node = { name: 'step', queueName, data: { value } };
  for (let step = 1; step < steps; step += 1) node = { name: 'step', queueName, data: {}, children: [node] };
  return { ...node, data: { ...node.data, run } };
}
