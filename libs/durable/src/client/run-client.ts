import { IdempotencyConflict, InvalidInput, type Problem, RunNotFound, StoreUnavailable } from '../core/errors.js';
import { GRAPH_WORKFLOW } from '../core/graph.js';
import { assertIdentifier, identifierFault } from '../core/identifiers.js';
import type { Lane } from '../core/lane.js';
import { MillraceError } from '../core/millrace-error.js';
import type { RunHead } from '../core/run-record.js';
import { isTerminal } from '../core/run-status.js';
import type { Clock, Randomness } from '../ports/clock.js';
import type { Codec } from '../ports/codec.js';
import type { Inspector, ReadPayloads } from '../ports/inspector.js';
import type { WorkerRegistry, WorkflowAnnouncement } from '../ports/registry.js';
import type { CancelAnswer, RunStore, SubmitAnswer, SubmitRequest } from '../ports/run-store.js';
import { newRunId, runIdOfKey } from './run-ids.js';
import type { RunWatcher } from './run-watcher.js';
import { type CheckedSubmission, checkSubmission, type SubmitRun } from './submission.js';
import { WorkflowCatalog } from './workflow-catalog.js';

/** What a client needs of a namespace's store and of the process. */
export interface RunClientDeps {
  readonly namespace: string;
  readonly runs: Pick<RunStore, 'submit' | 'cancel'>;
  readonly inspector: Pick<Inspector, 'getRun'>;
  readonly registry: WorkerRegistry;
  readonly codec: Pick<Codec, 'encode'>;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly watcher: Pick<RunWatcher, 'onceEnded'>;
  /** Faults of an input under the schema that was announced. @defaultValue none are looked for */
  readonly validateInput?: (workflow: WorkflowAnnouncement, input: unknown) => readonly Problem[];
  /** How long announcements are taken for true, ms. @defaultValue 1,000 */
  readonly announcementTtlMs?: number;
}

/** `created`: this call made the run. `existing`: it was there, submitted with the same request. */
export interface Submitted {
  readonly outcome: 'created' | 'existing';
  readonly run: SubmitAnswer['run'];
  /** The stored input. */
  readonly input: string;
}

export interface WaitOptions {
  readonly timeoutMs: number;
  /** Ends the wait early; the run is answered as it is. */
  readonly signal?: AbortSignal;
}

/** Submits, reads, waits for and cancels runs of one namespace. */
export class RunClient {
  private readonly catalog: WorkflowCatalog;

  constructor(private readonly deps: RunClientDeps) {
    this.catalog = new WorkflowCatalog(deps.registry, deps.clock, deps.announcementTtlMs ?? 1_000);
  }

  /**
   * A repetition with the same run id or idempotency key and the same request answers the run that is there, whatever
   * became of the workflow since.
   * @throws InvalidInput, PayloadError, UnknownWorkflow, TaskNotServed: nothing was written
   * @throws IdempotencyConflict when the id or key belongs to another request; `details.runId` names the run
   * @throws StoreUnavailable when nobody knows whether it was written: repeat it with the same id or key
   */
  async submit(run: SubmitRun): Promise<Submitted> {
    const [answer] = await this.submitMany([run]);
    if (answer === undefined || answer instanceof MillraceError) throw answer ?? new Error('a submission was not answered');
    return answer;
  }

  /**
   * As {@link submit} for each, in order, in one call of the store; a run that is refused concerns itself alone. Two equal
   * ids in one call behave as submitted one after the other.
   * @throws StoreUnavailable when nobody knows which of them were written
   */
  async submitMany(runs: readonly SubmitRun[]): Promise<Array<Submitted | MillraceError>> {
    const prepared = await Promise.all(runs.map((run) => this.prepare(run)));
    const requests = prepared.filter((item) => isRequest(item));
    const answers = requests.length === 0 ? [] : await this.deps.runs.submit(requests);
    const inOrder = answers.values();
    return prepared.map((item) => (isRequest(item) ? judge(item, inOrder.next().value) : item));
  }

  /** @throws RunNotFound */
  get(runId: string): Promise<RunHead> {
    return this.read(runId, 'all');
  }

  /**
   * The run once it is terminal, or as it is when the time is up. A run that is terminal already is answered at once.
   * @throws RunNotFound, also when it is deleted meanwhile
   */
  async wait(runId: string, options: WaitOptions): Promise<RunHead> {
    if (options.timeoutMs <= 0) return this.get(runId);
    const deadline = this.deps.clock.monotonic() + options.timeoutMs;
    let head = await this.read(runId, 'all-of-terminal');
    while (!isTerminal(head.status)) {
      const remainingMs = deadline - this.deps.clock.monotonic();
      const hasEnded = remainingMs > 0 && (await this.untilEnded(runId, remainingMs, options.signal));
      if (!hasEnded) return this.get(runId);
      head = await this.read(runId, 'all-of-terminal');
    }
    return head;
  }

  /**
   * Asks for the cancellation of a run; may be repeated.
   * @param reason for people, kept in the record
   */
  async cancel(runId: string, reason: string): Promise<CancelAnswer> {
    assertIdentifier('run id', runId);
    return this.deps.runs.cancel({ runId, reason, requestId: this.deps.random.bits64() });
  }

  private async read(runId: string, payloads: ReadPayloads): Promise<RunHead> {
    assertIdentifier('run id', runId);
    const head = await this.deps.inspector.getRun(runId, payloads);
    if (head === null) throw new RunNotFound(runId);
    return head;
  }

  private async prepare(run: SubmitRun): Promise<SubmitRequest | Submitted | MillraceError> {
    try {
      const runId = this.runIdOf(run);
      const checked = checkSubmission(run, (value) => this.deps.codec.encode(value, { what: 'input' }));
      const isNamed = run.runId !== undefined || run.idempotencyKey !== undefined;
      return await this.address(runId, checked, isNamed);
    } catch (error) {
      if (error instanceof MillraceError && !(error instanceof StoreUnavailable)) return error;
      throw error;
    }
  }

  private runIdOf({ runId, idempotencyKey }: SubmitRun): string {
    const fault = idempotencyKey === undefined ? null : identifierFault(idempotencyKey);
    if (fault !== null) throw new InvalidInput('idempotency key', [{ path: 'idempotencyKey', message: fault }]);
    if (runId !== undefined) return runId;
    return idempotencyKey === undefined ? newRunId(this.deps.clock, this.deps.random) : runIdOfKey(this.deps.namespace, idempotencyKey);
  }

  private async address(runId: string, checked: CheckedSubmission, isNamed: boolean): Promise<SubmitRequest | Submitted> {
    const { digest, inputText: input } = checked;
    try {
      const lane = await this.resolveLane(checked);
      return { runId, lane, input, digest, requestId: this.deps.random.bits64() };
    } catch (error) {
      // A store that is away is away for this as well: asked once more, the caller would wait twice as long.
      const first = isNamed && !(error instanceof StoreUnavailable) ? await this.deps.inspector.getRun(runId) : null;
      if (first?.digest !== digest) throw error;
      return { outcome: 'existing', run: first, input };
    }
  }

  private async resolveLane({ source, input }: CheckedSubmission): Promise<Lane> {
    if (source.kind === 'graph') {
      await this.catalog.assertTasks(source.graph.nodes.map(({ task }) => task));
      return { queue: source.queue, workflow: GRAPH_WORKFLOW.name, version: GRAPH_WORKFLOW.version };
    }
    const announced = await this.catalog.resolve(source.wanted);
    const problems = this.deps.validateInput?.(announced, input) ?? [];
    if (problems.length > 0) throw new InvalidInput('input', problems);
    return { queue: announced.queue, workflow: announced.workflow, version: announced.version };
  }

  /** False when the time is up or the signal was raised before. */
  private untilEnded(runId: string, timeoutMs: number, signal: AbortSignal | undefined): Promise<boolean> {
    return new Promise((resolve) => {
      const finish = (hasEnded: boolean) => {
        leave();
        cancelTimer();
        signal?.removeEventListener('abort', giveUp);
        resolve(hasEnded);
      };
      const giveUp = () => finish(false);
      const cancelTimer = this.deps.clock.after(timeoutMs, giveUp);
      const leave = this.deps.watcher.onceEnded(runId, () => finish(true));
      signal?.addEventListener('abort', giveUp);
      if (signal?.aborted === true) giveUp();
    });
  }
}

function isRequest(item: SubmitRequest | Submitted | MillraceError): item is SubmitRequest {
  return 'requestId' in item;
}

function judge(request: SubmitRequest, answer: SubmitAnswer | undefined): Submitted | MillraceError {
  if (answer === undefined) throw new Error(`the submission of run ${request.runId} was not answered`);
  if (answer.outcome === 'existing' && answer.run.digest !== request.digest) return new IdempotencyConflict(request.runId);
  return { outcome: answer.outcome, run: answer.run, input: request.input };
}
