import { once } from 'node:events';

import { FlowProducer, Queue, Worker } from 'bullmq';

/**
 * One queue with its producer and one worker, and the results of the runs that completed on it.
 *
 * How a result is known: by the worker's own event `completed`, sent when the server has answered the completion. QueueEvents
 * would tell another process the same, later and for one more read of a stream per job; the event is BullMQ at its fastest.
 */
export class Session {
  /** Results by the number of their run. @type {Map<number, string>} */
  results = new Map();

  #onRun = () => {};
  /** @type {(error: Error) => void} */
  #fail = () => {};
  #failure = new Promise((_, reject) => {
    this.#fail = reject;
  });

  /**
   * Queue and worker with BullMQ's defaults (completed jobs are kept, events too, at most about 10,000); the worker does not run yet.
   *
   * @param {import('./connections.mjs').Connections} connections
   * @param {string} queueName
   * @param {import('./forms.mjs').Form} form
   * @param {number} concurrency Jobs that the worker has in its hands at once.
   */
  constructor(connections, queueName, form, concurrency) {
    this.form = form;
    this.queue = new Queue(queueName, { connection: connections.queue });
    this.flows = new FlowProducer({ connection: connections.queue });
    this.worker = new Worker(queueName, (job) => form.process(job, this.queue), {
      connection: connections.worker,
      concurrency,
      autorun: false,
    });
    // Reported to who waits for runs; nobody may be waiting yet.
    this.#failure.catch(() => {});
    this.queue.on('error', this.#fail);
    this.flows.on('error', this.#fail);
    this.worker.on('error', this.#fail);
    this.worker.on('failed', (_, error) => this.#fail(error));
    this.worker.on('completed', (job, result) => {
      if (!form.isLast(job)) return;
      this.results.set(job.data.run, result);
      this.#onRun();
    });
  }

  /** Resolves when every connection can take commands. */
  async ready() {
    await Promise.all([this.queue.waitUntilReady(), this.flows.waitUntilReady(), this.worker.waitUntilReady()]);
  }

  /** Lets the worker take jobs. */
  start() {
    this.worker.run().catch(this.#fail);
  }

  /** Lets the worker take jobs of a queue that has none, and resolves when it found that out and waits for the first. */
  async startIdle() {
    const drained = once(this.worker, 'drained');
    this.start();
    await drained;
  }

  /**
   * Resolves when so many runs have completed; rejects when a job fails or a connection breaks.
   *
   * @param {number} runs
   */
  async completed(runs) {
    const reached = new Promise((resolve) => {
      this.#onRun = () => {
        if (this.results.size >= runs) resolve(undefined);
      };
    });
    this.#onRun();
    await Promise.race([this.#failure, reached]);
  }

  /** Ends worker and queue; the connections stay open. */
  async close() {
    await this.worker.close();
    await Promise.all([this.queue.close(), this.flows.close()]);
  }
}
