import { InvalidInput } from '../core/errors.js';
import { type Graph, GRAPH_WORKFLOW, type GraphNode } from '../core/graph.js';
import { indexGraph, successorsOf } from '../core/graph-order.js';
import { validateGraph } from '../core/graph-validation.js';
import { workflow } from './define.js';
import type { RunContext, WorkflowDefinition } from './definitions.js';

/** Output of a run of a graph: the outputs of the nodes that no other waits for, by node id. */
export type GraphOutput = Record<string, unknown>;

/** The workflow that runs a graph given as its input: `{ graph: { nodes: [...] } }`. */
export function graphDataWorkflow(queue: string): WorkflowDefinition<Graph, GraphOutput> {
  return { ...GRAPH_WORKFLOW, queue, inputSchema: null, parseInput: parseGraphInput, run: runGraph };
}

/**
 * A workflow that runs one fixed graph, made by code: `graphWorkflow({ name: 'nightly', version: 1 }, builder.build())`. Its input
 * is handed to every node that has none of its own.
 * @throws InvalidInput naming every fault of the graph
 */
export function graphWorkflow(
  options: Readonly<{ name: string; version: number; queue?: string }>,
  graph: Graph,
): WorkflowDefinition<unknown, GraphOutput> {
  const checked = validateGraph(graph);
  const definition = workflow<unknown, GraphOutput>(options, (run, input) => runGraph(run, withInput(checked, input)));
  return Object.freeze({ ...definition, graph: checked });
}

function withInput({ nodes }: Graph, input: unknown): Graph {
  return { nodes: nodes.map((node) => ('input' in node ? node : { ...node, input })) };
}

/**
 * Runs every node as a step named by its id, as soon as its predecessors are confirmed: ready nodes in parallel, in the
 * order in which they became ready. A node that fails for good fails the run; nodes that run then are abandoned.
 */
async function runGraph(run: RunContext, graph: Graph): Promise<GraphOutput> {
  const { nodes } = graph;
  const index = indexGraph(graph);
  const missing = index.indegree.slice();
  const outputs = new Map<string, unknown>();
  await new Promise<void>((resolve, reject) => {
    const start = (at: number) => {
      const node = nodes[at] as GraphNode;
      runNode(run, node, outputs).then((output) => confirm(at, node.id, output), reject);
    };
    const confirm = (at: number, id: string, output: unknown) => {
      outputs.set(id, output);
      if (outputs.size === nodes.length) resolve();
      for (const successor of successorsOf(index, at)) {
        missing[successor]! -= 1;
        if (missing[successor] === 0) start(successor);
      }
    };
    for (const [at, indegree] of index.indegree.entries()) if (indegree === 0) start(at);
  });
  const sinks = nodes.filter((_, at) => successorsOf(index, at).length === 0);
  return Object.fromEntries(sinks.map(({ id }) => [id, outputs.get(id)]));
}

function runNode(run: RunContext, node: GraphNode, outputs: ReadonlyMap<string, unknown>): Promise<unknown> {
  const { id, task, input, after = [], attempts, timeout, backoff } = node;
  return run.task(id, task, input, {
    outputs: Object.fromEntries(after.map((predecessor) => [predecessor, outputs.get(predecessor)])),
    ...(attempts === undefined ? {} : { attempts }),
    ...(timeout === undefined ? {} : { timeout }),
    ...(backoff === undefined ? {} : { backoff }),
  });
}

/** @throws InvalidInput naming every fault */
function parseGraphInput(input: unknown): Graph {
  const graph = typeof input === 'object' && input !== null ? (input as { graph?: unknown }).graph : undefined;
  if (typeof graph !== 'object' || graph === null) throw new InvalidInput('input', [{ path: 'graph', message: 'is required' }]);
  return validateGraph(graph);
}
