import type { Graph, GraphNode } from './graph.js';
import { type GraphLimits, validateGraph } from './graph-validation.js';
import { assertIdentifier } from './identifiers.js';

/** A task by its name, or its definition: then the node's input is checked against the task's type. */
export type TaskReference<Input> = string | { readonly name: string; readonly execute: (task: never, input: Input) => unknown };

/** What a node has beside id and task; see {@link GraphNode}. */
export interface NodeOptions<Input> extends Omit<GraphNode, 'id' | 'task' | 'input' | 'after'> {
  readonly input?: Input;
  /** Predecessors: what `node` answered, or ids (also of nodes that come later). */
  readonly after?: ReadonlyArray<NodeHandle | string>;
}

export interface NodeHandle {
  readonly id: string;
}

/** Collects nodes; nothing is checked before `build`, so their order is free. */
export interface GraphBuilder {
  /** Name of the workflow that the graph becomes. */
  readonly name: string;
  node<Input = unknown>(id: string, task: TaskReference<Input>, options?: NodeOptions<Input>): NodeHandle;
  /**
   * The graph as data. The builder may go on afterwards.
   * @throws InvalidInput naming every fault
   */
  build(limits?: GraphLimits): Graph;
}

/**
 * Builds a graph in code:
 * ```ts
 * const g = graph('thumbnails');
 * const fetched = g.node('fetch', fetchImage, { input: { url } });
 * g.node('small', 'resize', { input: { width: 100 }, after: [fetched] });
 * const { nodes } = g.build();
 * ```
 * @throws InvalidInput when the name is no identifier
 */
export function graph(name: string): GraphBuilder {
  assertIdentifier('workflow name', name);
  const nodes: GraphNode[] = [];
  return {
    name,
    node: (id, task, options = {}) => {
      const { after, ...rest } = options;
      const ids = after?.map((predecessor) => (typeof predecessor === 'string' ? predecessor : predecessor.id));
      nodes.push(
        Object.freeze({ id, task: typeof task === 'string' ? task : task.name, ...rest, ...(ids === undefined ? {} : { after: ids }) }),
      );
      return { id };
    },
    build: (limits) => validateGraph(Object.freeze({ nodes: Object.freeze([...nodes]) }), limits),
  };
}
