import {
  type Graph,
  GRAPH_WORKFLOW,
  type Inspector,
  isTerminal,
  type JournalEntry,
  laneName,
  type NodeState,
  type RunHead,
  toMermaid,
  validateGraph,
  type WorkerRegistry,
} from '@millrace/durable';
import type { PayloadReader } from './stored-view.js';
import { wholeJournal } from './whole-journal.js';

/** Steps drawn of a workflow that is code; a longer row is of no use to anybody. */
const DRAWN_STEPS = 500;
interface DrawnFrom {
  readonly inspector: Inspector;
  readonly registry: Pick<WorkerRegistry, 'workflows'>;
}

/** The run as a Mermaid flowchart: its graph, or the row of its steps so far. Null when there is nothing to draw yet. */
export async function drawRun(storage: DrawnFrom, codec: PayloadReader, head: RunHead): Promise<string | null> {
  const { inspector } = storage;
  const graph = head.lane.workflow === GRAPH_WORKFLOW.name ? graphOf(codec, head) : await announcedGraph(storage.registry, head);
  return graph === null ? drawSteps(inspector, head) : drawGraph(inspector, head, graph);
}

/** The graph that the workflow was announced to run, null when it is code. */
async function announcedGraph(registry: Pick<WorkerRegistry, 'workflows'>, { lane }: RunHead): Promise<Graph | null> {
  const announced = await registry.workflows();
  return announced.find(({ workflow, version, queue }) => laneName({ queue, workflow, version }) === laneName(lane))?.graph ?? null;
}

/** Null when the input holds no graph (a record broken by hand). */
function graphOf(codec: PayloadReader, { input }: RunHead): Graph | null {
  try {
    const value = codec.decode(input);
    return typeof value === 'object' && value !== null && 'graph' in value ? validateGraph(value.graph) : null;
  } catch {
    // Whatever is wrong with it is shown where the run itself is read; a drawing of its steps is still of use.
    return null;
  }
}

async function drawGraph(inspector: Inspector, head: RunHead, graph: Graph): Promise<string> {
  const begun = new Map<string, NodeState>();
  for await (const [, entry] of wholeJournal(inspector, { runId: head.runId, from: 0, journalEnd: head.journalEnd })) {
    if (entry !== null) begun.set(entry.name, stateOf(entry));
  }
  const afterOf = new Map(graph.nodes.map(({ id, after = [] }) => [id, after]));
  const isReady = (id: string) => (afterOf.get(id) ?? []).every((predecessor) => begun.get(predecessor) === 'completed');
  return toMermaid(graph, (id) => begun.get(id) ?? stateOfUnbegun(head, isReady(id)));
}

/** The number makes every label unique: a body may name two steps alike. */
async function drawSteps(inspector: Inspector, head: RunHead): Promise<string | null> {
  const nodes: Array<{ id: string; task: string; after: string[] }> = [];
  const states = new Map<string, NodeState>();
  for await (const [number, entry] of wholeJournal(inspector, { runId: head.runId, from: 0, journalEnd: head.journalEnd })) {
    if (nodes.length >= DRAWN_STEPS) break;
    const id = `${number} ${entry?.name ?? 'unreadable'}`;
    const last = nodes.at(-1);
    nodes.push({ id, task: entry?.kind ?? 'unreadable', after: last === undefined ? [] : [last.id] });
    if (entry !== null) states.set(id, stateOf(entry));
  }
  return nodes.length === 0 ? null : toMermaid({ nodes }, (id) => states.get(id));
}

function stateOf({ state }: JournalEntry): NodeState {
  if (state === 'open' || state === 'retrying') return 'running';
  if (state === 'pending') return 'waiting';
  return state === 'done' ? 'completed' : state;
}

function stateOfUnbegun({ status }: RunHead, isReady: boolean): NodeState {
  if (status === 'cancelled') return 'cancelled';
  if (isTerminal(status)) return 'abandoned';
  return isReady ? 'ready' : 'waiting';
}
