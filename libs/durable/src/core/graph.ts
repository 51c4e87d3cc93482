import type { BackoffOptions } from './backoff.js';
import type { Duration } from './durations.js';

/** One node: a task executed once all nodes in `after` are confirmed, given their outputs. */
export interface GraphNode {
  /** An identifier, unique in the graph. */
  readonly id: string;
  /** Name of a registered task. */
  readonly task: string;
  /** Plain JSON. @defaultValue none */
  readonly input?: unknown;
  /** Ids of its predecessors, each once. @defaultValue [] */
  readonly after?: readonly string[];
  /** Attempt budget, crashes included: 1–10,000. @defaultValue that of the task */
  readonly attempts?: number;
  /** Of one attempt. @defaultValue that of the task */
  readonly timeout?: Duration;
  /** @defaultValue that of the task */
  readonly backoff?: BackoffOptions;
}

/** A directed acyclic graph of tasks, as data: from code or from JSON, the same thing. */
export interface Graph {
  readonly nodes: readonly GraphNode[];
}

/** Name and version under which graphs that were submitted as data run; the queue is the submitter's choice. */
export const GRAPH_WORKFLOW = { name: 'graph', version: 1 } as const;

/** State of a node as it is shown. `waiting`: not all predecessors are confirmed. */
export type NodeState = 'waiting' | 'ready' | 'running' | 'completed' | 'failed' | 'cancelled' | 'abandoned';
