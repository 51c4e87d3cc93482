import { type Graph, InvalidInput, type Problem, validateGraph } from '@millrace/durable';

/** One task of a recorded workflow run. */
export interface TraceTask {
  readonly id: string;
  readonly parents: readonly string[];
  readonly runtimeSeconds: number;
}

/** A recorded workflow run. */
export interface Trace {
  readonly name: string;
  readonly tasks: readonly TraceTask[];
}

/** Name of the task that every node of a trace's graph executes. */
export const SIMULATE = 'simulate';

type Unchecked = Readonly<Record<string, unknown>>;

/**
 * Reads a parsed WfFormat 1.5 document. Keys that the format has and this loader does not need are ignored.
 * @throws InvalidInput naming every fault (the first 50, then their number)
 */
export function readTrace(document: unknown): Trace {
  const problems: Problem[] = [];
  const report = (path: string, message: string) => problems.push({ path, message });
  const version = at(document, 'schemaVersion');
  if (version !== '1.5') report('schemaVersion', `must be "1.5", not ${String(JSON.stringify(version)).slice(0, 50)}`);
  const specified = listAt(document, ['workflow', 'specification', 'tasks'], report);
  const executed = listAt(document, ['workflow', 'execution', 'tasks'], report);

  const runtimes = readRuntimes(executed, report);
  const tasks = specified.map((task, index) => readTask(task, `workflow.specification.tasks[${index}]`, runtimes, report));
  checkChildren(specified, tasks, report);
  if (problems.length > 0) throw new InvalidInput('trace', problems);

  const name = at(document, 'name');
  return { name: typeof name === 'string' ? name : 'trace', tasks };
}

/**
 * The trace as a graph: one node a task, its parents as predecessors.
 * @param scale how many times faster than recorded: 1,000 turns a second into a millisecond
 * @throws InvalidInput when the tasks make no graph (unknown parents, a cycle, ids that are no identifiers)
 */
export function traceToGraph(trace: Trace, scale: number): Graph {
  return validateGraph({
    nodes: trace.tasks.map((task) => ({
      id: task.id,
      task: SIMULATE,
      input: { id: task.id, runtimeMs: runtimeMs(task, scale) },
      after: task.parents,
    })),
  });
}

/**
 * {@link readTrace} and {@link traceToGraph} in one.
 * @throws InvalidInput
 */
export function loadTrace(document: unknown, scale: number): Graph {
  return traceToGraph(readTrace(document), scale);
}

/** Whole milliseconds that a task takes at a scale. */
export function runtimeMs(task: TraceTask, scale: number): number {
  if (!(scale > 0 && Number.isFinite(scale))) {
    throw new InvalidInput('scale', [{ path: 'scale', message: `must be a number above 0, not ${scale}` }]);
  }
  return Math.round((task.runtimeSeconds * 1000) / scale);
}

type Report = (path: string, message: string) => void;

function readRuntimes(executed: readonly unknown[], report: Report): ReadonlyMap<unknown, number> {
  const runtimes = new Map<unknown, number>();
  for (const [index, task] of executed.entries()) {
    const path = `workflow.execution.tasks[${index}]`;
    const [id, runtime] = [at(task, 'id'), at(task, 'runtimeInSeconds')];
    if (typeof id !== 'string') report(`${path}.id`, 'must be text');
    else if (runtimes.has(id)) report(`${path}.id`, `"${id}" was executed twice`);
    if (typeof runtime === 'number' && runtime >= 0 && Number.isFinite(runtime)) runtimes.set(id, runtime);
    else report(`${path}.runtimeInSeconds`, 'must be a number of 0 or more');
  }
  return runtimes;
}

function readTask(task: unknown, path: string, runtimes: ReadonlyMap<unknown, number>, report: Report): TraceTask {
  const [id, parents] = [at(task, 'id'), at(task, 'parents')];
  const runtimeSeconds = runtimes.get(id);
  if (typeof id !== 'string') report(`${path}.id`, 'must be text');
  else if (runtimeSeconds === undefined) report(path, `"${id}" has no runtime in workflow.execution`);
  if (!isListOfText(parents)) report(`${path}.parents`, 'must be a list of task ids');
  return { id: String(id), parents: isListOfText(parents) ? parents : [], runtimeSeconds: runtimeSeconds ?? 0 };
}

/** The format says every edge twice. Both must agree: otherwise one of them would silently be left out. */
function checkChildren(specified: readonly unknown[], tasks: readonly TraceTask[], report: Report): void {
  const edges = new Set(tasks.flatMap(({ id, parents }) => parents.map((parent) => edgeName(parent, id))));
  let childCount = 0;
  for (const [index, task] of specified.entries()) {
    const children = at(task, 'children');
    if (children === undefined) return;
    const path = `workflow.specification.tasks[${index}].children`;
    if (!isListOfText(children)) report(path, 'must be a list of task ids');
    else
      for (const child of children) {
        childCount += 1;
        const id = tasks[index]?.id ?? '';
        if (!edges.has(edgeName(id, child))) report(path, `"${child}" does not name "${id}" as its parent`);
      }
  }
  if (childCount < edges.size) report('workflow.specification.tasks', 'name parents that do not name them as children');
}

function edgeName(parent: string, child: string): string {
  return JSON.stringify([parent, child]);
}

function listAt(document: unknown, keys: readonly string[], report: Report): readonly unknown[] {
  const found = keys.reduce<unknown>((value, key) => at(value, key), document);
  if (Array.isArray(found) && found.length > 0) return found;
  report(keys.join('.'), 'must be a list of tasks, not empty');
  return [];
}

function at(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? (value as Unchecked)[key] : undefined;
}

function isListOfText(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
