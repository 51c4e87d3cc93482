import { basename } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { graphLevels, type InvalidInput, readyOrder, sinksOf } from '@millrace/durable';
import { criticalPathMs, depth, expectedChecksum, totalRuntimeMs } from './expected-results.js';
import { loadTrace, readTrace, runtimeMs, SIMULATE, traceToGraph } from './load-trace.js';
import { finalChecksum, type Outputs, simulate, type SimulateInput, type SimulateOutput } from './simulate.js';
import { parseTraceFile, shippedTrace, traceFiles } from './trace-files.js';

/** Published facts about the traces, s: tasks, edges, depth, sum of run times, critical path. */
const facts: Readonly<Record<string, readonly [number, number, number, number, number]>> = {
  'helloworld-chain-5-chameleon.json': [5, 4, 5, 501, 501],
  'helloworld-forkjoin-10-chameleon.json': [10, 16, 3, 1029, 307],
  'bacass-dirt02-001.json': [11, 14, 5, 3962, 2150],
  'methylseq-dirt02-001.json': [36, 70, 7, 446, 203],
  'blast-chameleon-small-001.json': [43, 120, 3, 383, 10],
  '1000genome-chameleon-4ch-100k-001.json': [104, 152, 3, 8610, 330],
  'rnaseq-dirt02-001.json': [197, 451, 10, 2580, 759],
  'bwa-chameleon-large-001.json': [1004, 4000, 3, 13_277, 1656],
  'seismology-chameleon-1100p-001.json': [1101, 1100, 2, 585, 5],
  'montage-chameleon-2mass-05d-001.json': [1738, 4698, 8, 8695, 102],
};

/** Executes a graph one node after the other, without waiting. */
async function execute(graph: ReturnType<typeof traceToGraph>): Promise<Outputs> {
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]));
  const outputs = new Map<string, SimulateOutput>();
  const pick = (ids: readonly string[]) => Object.fromEntries(ids.map((id) => [id, outputs.get(id) as SimulateOutput]));
  for (const id of readyOrder(graph)) {
    const node = nodes.get(id);
    outputs.set(
      id,
      await simulate(node?.input as SimulateInput, pick(node?.after ?? []), new AbortController().signal, async () => undefined),
    );
  }
  return pick(sinksOf(graph));
}

describe.each(traceFiles().map((path) => [basename(path), path] as const))('trace %s', (name, path) => {
  const trace = readTrace(parseTraceFile(path));

  it('becomes a graph with a node a task and an edge a parent', () => {
    const graph = traceToGraph(trace, 1000);
    expect(graph.nodes.map(({ id }) => id)).toEqual(trace.tasks.map(({ id }) => id));
    for (const [index, task] of trace.tasks.entries()) {
      expect(graph.nodes[index]).toEqual({
        id: task.id,
        task: SIMULATE,
        input: { id: task.id, runtimeMs: runtimeMs(task, 1000) },
        after: task.parents,
      });
    }
    expect(graphLevels(graph)).toHaveLength(depth(trace));
  });

  it('has the published sizes', () => {
    const edges = trace.tasks.reduce((sum, task) => sum + task.parents.length, 0);
    const measured = [
      trace.tasks.length,
      edges,
      depth(trace),
      Math.round(totalRuntimeMs(trace, 1) / 1000),
      Math.round(criticalPathMs(trace, 1) / 1000),
    ];
    // A folder of one's own may hold other traces: of those only the bounds are known.
    expect(measured).toEqual(facts[name] ?? measured);
    expect(criticalPathMs(trace, 1)).toBeLessThanOrEqual(totalRuntimeMs(trace, 1));
  });

  it('comes to the expected checksum when it is executed', async () => {
    expect(finalChecksum(await execute(traceToGraph(trace, 1000)))).toBe(expectedChecksum(trace));
  });
});

describe('expected checksum', () => {
  const trace = readTrace(parseTraceFile(shippedTrace('helloworld-forkjoin-10-chameleon.json')));

  it('is this for the small trace, on every host', () => {
    expect(expectedChecksum(trace)).toBe('07bb840e6294d433');
  });

  it('changes when a task is lost, renamed, or gets the output of another', () => {
    const lessParents = trace.tasks.map((task) => ({ ...task, parents: task.parents.slice(1) }));
    const renamed = JSON.parse(JSON.stringify(trace.tasks).replaceAll('forkjoin_00000002', 'forkjoin_0000000x')) as typeof trace.tasks;
    const sums = [trace, { ...trace, tasks: lessParents }, { ...trace, tasks: renamed }].map(expectedChecksum);
    expect(new Set(sums).size).toBe(3);
  });

  it('does not depend on the order of tasks and parents', () => {
    const tasks = trace.tasks.map((task) => ({ ...task, parents: [...task.parents].reverse() })).reverse();
    expect(expectedChecksum({ ...trace, tasks })).toBe(expectedChecksum(trace));
  });

  it('ends on a cycle', () => {
    const tasks = [
      { id: 'a', parents: ['b'], runtimeSeconds: 1 },
      { id: 'b', parents: ['a'], runtimeSeconds: 1 },
    ];
    expect(() => expectedChecksum({ name: 'c', tasks })).toThrow(/has a cycle/);
  });
});

describe('readTrace', () => {
  const task = (id: string, parents: unknown = [], children?: unknown) => ({
    id,
    parents,
    ...(children === undefined ? {} : { children }),
  });
  const documentOf = (
    tasks: unknown[],
    runtimes: unknown[] = tasks.map((each) => ({ id: (each as { id: unknown }).id, runtimeInSeconds: 1 })),
  ) => ({
    name: 't',
    schemaVersion: '1.5',
    workflow: { specification: { tasks }, execution: { tasks: runtimes } },
  });
  const faultsOf = (document: unknown): string[] => {
    try {
      loadTrace(document, 1);
    } catch (error) {
      return (error as InvalidInput).details.problems.map(({ path, message }) => `${path} ${message}`);
    }
    return [];
  };

  it('accepts a document without children lists', () => {
    expect(faultsOf(documentOf([task('a'), task('b', ['a'])]))).toEqual([]);
  });

  it('names every fault of a document', () => {
    expect(faultsOf(null)).toEqual([
      'schemaVersion must be "1.5", not undefined',
      'workflow.specification.tasks must be a list of tasks, not empty',
      'workflow.execution.tasks must be a list of tasks, not empty',
    ]);
    expect(
      faultsOf(
        documentOf(
          [task('a'), { id: 7, parents: 'a' }, task('c')],
          [
            { id: 'a', runtimeInSeconds: -1 },
            { id: 'c', runtimeInSeconds: 1 },
            { id: 'c', runtimeInSeconds: 1 },
          ],
        ),
      ),
    ).toEqual([
      'workflow.execution.tasks[0].runtimeInSeconds must be a number of 0 or more',
      'workflow.execution.tasks[2].id "c" was executed twice',
      'workflow.specification.tasks[0] "a" has no runtime in workflow.execution',
      'workflow.specification.tasks[1].id must be text',
      'workflow.specification.tasks[1].parents must be a list of task ids',
    ]);
  });

  it('refuses parents and children that disagree', () => {
    expect(faultsOf(documentOf([task('a', [], ['b']), task('b', [], [])]))).toEqual([
      'workflow.specification.tasks[0].children "b" does not name "a" as its parent',
    ]);
    expect(faultsOf(documentOf([task('a', [], []), task('b', ['a'], [])]))).toEqual([
      'workflow.specification.tasks name parents that do not name them as children',
    ]);
  });

  it('refuses what makes no graph', () => {
    expect(faultsOf(documentOf([task('a', ['b']), task('b', ['a'])]))).toEqual([expect.stringMatching(/^nodes have a cycle: /)]);
    expect(faultsOf(documentOf([task('a', ['x'])]))).toEqual(['nodes[0].after[0] names the unknown node "x"']);
    expect(faultsOf(documentOf([task('a b')]))[0]).toMatch(/^nodes\[0\]\.id "a b" has the character " "/);
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('refuses the scale %p', (scale) => {
    expect(() => loadTrace(documentOf([task('a')]), scale)).toThrow(/scale must be a number above 0/);
  });
});
