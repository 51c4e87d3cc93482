import type { Graph } from './graph.js';

/** A graph as numbers: node i is `graph.nodes[i]`. Built once, in time and memory linear in nodes and edges. */
export interface GraphIndex {
  readonly indexOf: ReadonlyMap<string, number>;
  /** How many predecessors a node has. */
  readonly indegree: Uint32Array;
  /** The successors of node i are `successors[successorsStart[i]]` up to `successors[successorsStart[i + 1] − 1]`. */
  readonly successorsStart: Uint32Array;
  readonly successors: Uint32Array;
}

/** For a graph that `validateGraph` accepted; an edge to an unknown node is left out. */
export function indexGraph(graph: Graph): GraphIndex {
  const indexOf = new Map(graph.nodes.map(({ id }, index) => [id, index]));
  const edges: number[] = [];
  for (const [to, node] of graph.nodes.entries()) {
    for (const id of node.after ?? []) {
      const from = indexOf.get(id);
      if (from !== undefined) edges.push(from, to);
    }
  }
  return { indexOf, ...linkEdges(graph.nodes.length, edges) };
}

/** @param edges from, to, from, to, … as node numbers */
export function linkEdges(nodeCount: number, edges: readonly number[]): Omit<GraphIndex, 'indexOf'> {
  const indegree = new Uint32Array(nodeCount);
  const successorsStart = new Uint32Array(nodeCount + 1);
  for (let at = 0; at < edges.length; at += 2) {
    successorsStart[numberAt(edges, at) + 1]! += 1;
    indegree[numberAt(edges, at + 1)]! += 1;
  }
  for (let node = 0; node < nodeCount; node++) successorsStart[node + 1]! += numberAt(successorsStart, node);
  const successors = new Uint32Array(edges.length / 2);
  const free = successorsStart.slice();
  for (let at = 0; at < edges.length; at += 2) {
    const slot = free[numberAt(edges, at)]!++;
    successors[slot] = numberAt(edges, at + 1);
  }
  return { indegree, successorsStart, successors };
}

/** The numbers of a node's successors, in the order of their definition. */
export function successorsOf(index: Pick<GraphIndex, 'successors' | 'successorsStart'>, node: number): Uint32Array {
  return index.successors.subarray(numberAt(index.successorsStart, node), numberAt(index.successorsStart, node + 1));
}

/**
 * Node numbers so that predecessors come first; among nodes that are ready together, the order in which they became so.
 * Shorter than the graph when it has a cycle: the nodes on or behind one are missing.
 */
export function sortNodes(index: Omit<GraphIndex, 'indexOf'>): number[] {
  const missing = index.indegree.slice();
  const order: number[] = [];
  for (let node = 0; node < missing.length; node++) if (missing[node] === 0) order.push(node);
  // The list is its own queue: it grows while it is read.
  for (let at = 0; at < order.length; at++) {
    for (const successor of successorsOf(index, numberAt(order, at))) {
      missing[successor]! -= 1;
      if (missing[successor] === 0) order.push(successor);
    }
  }
  return order;
}

/** Node ids so that every node comes after its predecessors. */
export function readyOrder(graph: Graph): string[] {
  return sortNodes(indexGraph(graph)).map((node) => graph.nodes[node]!.id);
}

/** Ids by level: level 0 has no predecessors, every other node is one below its deepest predecessor. */
export function graphLevels(graph: Graph): string[][] {
  const index = indexGraph(graph);
  const depth = new Uint32Array(graph.nodes.length);
  const levels: string[][] = [];
  for (const node of sortNodes(index)) {
    const own = numberAt(depth, node);
    (levels[own] ??= []).push(graph.nodes[node]!.id);
    for (const successor of successorsOf(index, node)) depth[successor] = Math.max(numberAt(depth, successor), own + 1);
  }
  return levels;
}

/** Ids of the nodes that no other waits for, in the order of their definition. Their outputs are the run's output. */
export function sinksOf(graph: Graph): string[] {
  const index = indexGraph(graph);
  return graph.nodes.filter((_, node) => successorsOf(index, node).length === 0).map(({ id }) => id);
}

/** For indexes that are in range by construction. */
function numberAt(list: ArrayLike<number>, index: number): number {
  return list[index] ?? 0;
}
