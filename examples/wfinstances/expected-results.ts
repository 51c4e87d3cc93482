import { createHash } from 'node:crypto';
import { runtimeMs, type Trace, type TraceTask } from './load-trace.js';

/*
 * What a run of a trace must come to, computed from the trace alone: with nothing of the graph, the task or the engine
 * that are to be proved by it.
 */

/** The final checksum of a run: over the checksums of the tasks without children, by id. */
export function expectedChecksum(trace: Trace): string {
  const parents = new Set(trace.tasks.flatMap((task) => task.parents));
  const checksums = foldTrace(trace, (task, before: ReadonlyMap<string, string>) => {
    const sorted = [...before].sort(([a], [b]) => (a < b ? -1 : 1));
    return digest(JSON.stringify([task.id, sorted]));
  });
  const sinks = [...checksums].filter(([id]) => !parents.has(id)).sort(([a], [b]) => (a < b ? -1 : 1));
  return digest(JSON.stringify(sinks));
}

/** The longest chain of run times: no run of the trace can be shorter, however many workers there are. */
export function criticalPathMs(trace: Trace, scale: number): number {
  return greatest(foldTrace(trace, (task, before: ReadonlyMap<string, number>) => greatest(before) + runtimeMs(task, scale)));
}

/** The sum of all run times: what one worker with one slot needs at least. */
export function totalRuntimeMs(trace: Trace, scale: number): number {
  return trace.tasks.reduce((sum, task) => sum + runtimeMs(task, scale), 0);
}

/** Tasks in the longest chain. */
export function depth(trace: Trace): number {
  return greatest(foldTrace(trace, (_, before: ReadonlyMap<string, number>) => greatest(before) + 1));
}

/** A value for each task from the values of its parents, parents first. @throws Error on a cycle or an unknown parent */
function foldTrace<T>(trace: Trace, valueOf: (task: TraceTask, ofParents: ReadonlyMap<string, T>) => T): ReadonlyMap<string, T> {
  const children = new Map<string, TraceTask[]>(trace.tasks.map(({ id }) => [id, []]));
  const missing = new Map(trace.tasks.map(({ id, parents }) => [id, parents.length]));
  for (const task of trace.tasks) for (const parent of task.parents) children.get(parent)?.push(task);

  const values = new Map<string, T>();
  const ready = trace.tasks.filter(({ parents }) => parents.length === 0);
  // The list is its own queue: it grows while it is read.
  for (const task of ready) {
    values.set(task.id, valueOf(task, new Map(task.parents.map((id) => [id, values.get(id) as T]))));
    for (const child of children.get(task.id) ?? []) {
      const left = (missing.get(child.id) ?? 0) - 1;
      missing.set(child.id, left);
      if (left === 0) ready.push(child);
    }
  }
  if (values.size < trace.tasks.length) throw new Error('the trace has a cycle, an unknown parent or a repeated id');
  return values;
}

function greatest(values: ReadonlyMap<string, number>): number {
  let most = 0;
  for (const value of values.values()) most = Math.max(most, value);
  return most;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
