import { createHash } from 'node:crypto';
import { ConfigurationError } from '../core/errors.js';
import { identifierFault } from '../core/identifiers.js';
import { type Lane, laneName } from '../core/lane.js';
import type { TaskDefinition, WorkflowDefinition } from '../engine/definitions.js';
import type { WorkflowAnnouncement } from '../ports/registry.js';

const MAX_VERSION = 999_999_999;

/** What a worker serves, checked. */
export interface Served {
  readonly lanes: readonly Lane[];
  /** By lane name. */
  readonly workflows: ReadonlyMap<string, WorkflowDefinition>;
  /** By name. */
  readonly tasks: ReadonlyMap<string, TaskDefinition>;
}

/**
 * @param queues serve only the workflows of these queues; null: all
 * @throws ConfigurationError naming every fault: no workflow at all, one that is given twice, a wrong name or version
 */
export function resolveServed(
  workflows: readonly WorkflowDefinition[],
  tasks: readonly TaskDefinition[],
  queues: readonly string[] | null,
): Served {
  const problems = [...workflows.flatMap(workflowFaults), ...tasks.flatMap(taskFaults)];
  const byLane = new Map<string, WorkflowDefinition>();
  const serving = workflows.filter(({ queue }) => queues === null || queues.includes(queue));
  if (serving.length === 0) problems.push('no workflow is served: the worker would be idle for ever');
  for (const workflow of serving) {
    const name = laneName(laneOf(workflow));
    if (byLane.has(name)) problems.push(`workflow ${workflow.name} version ${workflow.version} is given twice for queue ${workflow.queue}`);
    byLane.set(name, workflow);
  }
  const tasksByName = new Map<string, TaskDefinition>();
  for (const task of tasks) {
    if (tasksByName.has(task.name)) problems.push(`task ${task.name} is given twice`);
    tasksByName.set(task.name, task);
  }
  if (problems.length > 0) throw new ConfigurationError(problems);
  return { lanes: serving.map(laneOf), workflows: byLane, tasks: tasksByName };
}

function laneOf({ queue, name, version }: WorkflowDefinition): Lane {
  return { queue, workflow: name, version };
}

/** What the registry is told of a workflow. The hash changes when name, version, queue, input schema or graph do. */
export function announcementOf(workflow: WorkflowDefinition): WorkflowAnnouncement {
  const { name, version, queue, inputSchema, graph = null } = workflow;
  const definitionHash = createHash('sha256')
    .update(JSON.stringify([name, version, queue, sorted(inputSchema), sorted(graph)]))
    .digest('base64url');
  return { workflow: name, version, queue, definitionHash, inputSchema, graph };
}

function workflowFaults({ name, version, queue }: WorkflowDefinition): string[] {
  const problems = nameFaults('workflow', name, queue);
  if (!Number.isSafeInteger(version) || version < 1 || version > MAX_VERSION) {
    problems.push(`workflow ${name}: version must be a whole number from 1 to ${MAX_VERSION}, not ${String(version)}`);
  }
  return problems;
}

function taskFaults({ name, queue }: TaskDefinition): string[] {
  return nameFaults('task', name, queue);
}

function nameFaults(kind: string, name: string, queue: string): string[] {
  const [nameFault, queueFault] = [identifierFault(name), identifierFault(queue)];
  return [
    ...(nameFault === null ? [] : [`${kind} name ${nameFault}`]),
    ...(queueFault === null ? [] : [`queue of ${kind} ${name} ${queueFault}`]),
  ];
}

/** The same value with the keys of every object in order: equal schemas hash alike however they were written. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, child]) => [key, sorted(child)]),
  );
}
