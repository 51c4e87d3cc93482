import { hostname } from 'node:os';
import type { EventSink } from '../core/events.js';
import { systemClock } from '../core/system-clock.js';
import { systemRandomness } from '../core/system-randomness.js';
import type { TaskDefinition, WorkflowDefinition } from '../engine/definitions.js';
import { graphDataWorkflow } from '../engine/graph-workflow.js';
import { RunExecution } from '../engine/run-execution.js';
import type { Clock, Randomness } from '../ports/clock.js';
import { readHostFacts } from './incarnation.js';
import { resolveServed } from './served.js';
import { Worker } from './worker.js';
import { resolveWorkerOptions, type WorkerOptions } from './worker-options.js';
import type { WorkerCodec, WorkerStorage } from './worker-storage.js';

export interface StartWorkerParams {
  /** Stays open when the worker has stopped. */
  readonly storage: WorkerStorage;
  readonly codec: WorkerCodec;
  readonly workflows: readonly WorkflowDefinition[];
  /** Graphs that were submitted as data are served in every queue of a task. @defaultValue none */
  readonly tasks?: readonly TaskDefinition[];
  /** @defaultValue every default */
  readonly options?: WorkerOptions;
  /** Hears what happens. @defaultValue nobody */
  readonly emit?: EventSink;
  /** @defaultValue the clocks of this process */
  readonly clock?: Clock;
  /** @defaultValue randomness of this process */
  readonly random?: Randomness;
}

/**
 * Makes a worker and does not start it.
 * @throws ConfigurationError naming every fault of the options and definitions
 */
export function createWorker(params: StartWorkerParams): Worker {
  const { storage, codec, tasks = [], options = {}, emit = () => undefined, clock = systemClock, random = systemRandomness } = params;
  const workflows = [...params.workflows, ...graphWorkflowsOf(tasks)];
  const resolved = resolveWorkerOptions(options, { hostName: hostname(), knownQueues: workflows.map(({ queue }) => queue) });
  return new Worker({
    storage,
    codec,
    served: resolveServed(workflows, tasks, resolved.queues),
    options: resolved,
    clock,
    random,
    facts: readHostFacts(),
    emit,
    executions: (deps) => (claimed) => new RunExecution(deps, claimed),
  });
}

function graphWorkflowsOf(tasks: readonly TaskDefinition[]): WorkflowDefinition[] {
  return [...new Set(tasks.map(({ queue }) => queue))].map((queue) => graphDataWorkflow(queue) as WorkflowDefinition);
}

/**
 * Makes a worker and starts it: resolves when it takes work. While the store is away it waits.
 * @throws ConfigurationError naming every fault of the options and definitions; MillraceError that another try would not mend
 */
export async function startWorker(params: StartWorkerParams): Promise<Worker> {
  const worker = createWorker(params);
  await worker.start();
  return worker;
}
