import { InvalidInput } from '../core/errors.js';
import { type Graph, GRAPH_WORKFLOW } from '../core/graph.js';
import { validateGraph } from '../core/graph-validation.js';
import { assertIdentifier } from '../core/identifiers.js';
import { requestDigest } from './request-digest.js';

/** One run to submit: a workflow by name, or a graph. */
export type SubmitRun = WorkflowSubmission | GraphSubmission;

interface AnySubmission {
  /** An identifier. It decides which run this is, also when there is an idempotency key. @defaultValue made */
  readonly runId?: string | undefined;
  /** An identifier. Without a run id, the run id is made of it and the namespace. */
  readonly idempotencyKey?: string | undefined;
  /** @defaultValue null */
  readonly input?: unknown;
}

export interface WorkflowSubmission extends AnySubmission {
  readonly workflow: string;
  /** @defaultValue the newest announced version */
  readonly version?: number | undefined;
  /** @defaultValue the queue it was announced on */
  readonly queue?: string | undefined;
}

export interface GraphSubmission extends AnySubmission {
  /** As `validateGraph` takes it; its tasks are announced by some worker. */
  readonly graph: unknown;
  /** Where its run is claimed. @defaultValue 'default' */
  readonly queue?: string | undefined;
}

/** A submission with every value that comes from the caller alone checked; what workers announced is not looked at yet. */
export interface CheckedSubmission {
  readonly source:
    | { readonly kind: 'workflow'; readonly wanted: WorkflowSubmission }
    | { readonly kind: 'graph'; readonly graph: Graph; readonly queue: string };
  /** The value that the input schema applies to. */
  readonly input: unknown;
  /** What is stored as the run's input. */
  readonly inputText: string;
  readonly digest: string;
}

/**
 * @param encode the codec's, for its limits and its text
 * @throws InvalidInput naming every fault of the graph; PayloadError when the input cannot be stored
 */
export function checkSubmission(run: SubmitRun, encode: (value: unknown) => string): CheckedSubmission {
  if (run.runId !== undefined) assertIdentifier('run id', run.runId);
  if (run.queue !== undefined) assertIdentifier('queue name', run.queue);
  return 'graph' in run ? checkGraph(run, encode) : checkWorkflow(run, encode);
}

function checkWorkflow(run: WorkflowSubmission, encode: (value: unknown) => string): CheckedSubmission {
  const { workflow, version, queue } = run;
  assertIdentifier('workflow name', workflow);
  if (workflow === GRAPH_WORKFLOW.name)
    throw new InvalidInput('workflow', [{ path: 'workflow', message: 'is built in: submit { graph } instead' }]);
  const input = run.input ?? null;
  const inputText = encode(input);
  const digest = requestDigest({ workflow, version: version ?? null, queue: queue ?? null, input, inputText });
  return { source: { kind: 'workflow', wanted: run }, input, inputText, digest };
}

function checkGraph(run: GraphSubmission, encode: (value: unknown) => string): CheckedSubmission {
  const graph = validateGraph(run.graph);
  const payload = { graph, input: run.input ?? null };
  const inputText = encode(payload);
  const digest = requestDigest({
    workflow: GRAPH_WORKFLOW.name,
    version: GRAPH_WORKFLOW.version,
    queue: run.queue ?? null,
    input: payload,
    inputText,
  });
  return { source: { kind: 'graph', graph, queue: run.queue ?? 'default' }, input: run.input ?? null, inputText, digest };
}
