import { asError } from '../core/as-error.js';
import { ClaimLost } from '../core/errors.js';
import type { EventSink } from '../core/events.js';
import { type Lane, laneName } from '../core/lane.js';
import type { RunHead } from '../core/run-record.js';
import type { ClaimGuard } from '../engine/claim-guard.js';
import type { WorkflowDefinition } from '../engine/definitions.js';
import type { RunExit } from '../engine/engine-deps.js';
import type { Execution, ExecutionFactory } from './execution.js';
import type { BeatingClaim, Heartbeats } from './heartbeats.js';

export interface HeldRunsParams {
  readonly heartbeats: Heartbeats;
  readonly execute: ExecutionFactory;
  /** By lane name. */
  readonly workflows: ReadonlyMap<string, WorkflowDefinition>;
  /** A claim is over: there is room for another one. */
  readonly onDropped: () => void;
  readonly emit: EventSink;
}

interface HeldRun {
  readonly runId: string;
  readonly workflow: string;
  readonly execution: Execution;
  readonly beating: BeatingClaim;
  /** Why the claim was taken for lost, as far as this side knows. */
  lossReason: string;
  /** What the heartbeats were told last. */
  told: { readonly token: string; readonly inbox: string };
}

/** The claims of this worker and their executions. A claim stays in here, and its heartbeats go on, until its execution is over. */
export class HeldRuns {
  private readonly held = new Set<HeldRun>();
  private readonly latest = new Map<string, HeldRun>();
  private readonly whenEmptyCalls: Array<() => void> = [];
  private ending: 'no' | 'stopping' | 'interrupted' = 'no';

  constructor(private readonly params: HeldRunsParams) {}

  get size(): number {
    return this.held.size;
  }

  /** Held runs that do more than wait. */
  get busy(): number {
    let count = 0;
    for (const { execution } of this.held) if (!execution.isIdle) count += 1;
    return count;
  }

  /** What the held runs keep in memory together, about. */
  get bytes(): number {
    let sum = 0;
    for (const { execution } of this.held) sum += execution.heldBytes;
    return sum;
  }

  get runIds(): string[] {
    return [...this.held].map(({ runId }) => runId);
  }

  serves(lane: Lane): boolean {
    return this.params.workflows.has(laneName(lane));
  }

  /**
   * Begins to advance a claimed run. One that cannot be advanced here is left to lapse, and said so.
   * @param sentAt monotonic instant before the claim call was sent
   */
  adopt(head: RunHead & { readonly token: string }, sentAt: number): void {
    try {
      this.begin(head, sentAt);
    } catch (thrown) {
      this.abandon(head.runId, head.lane.workflow, thrown);
    }
  }

  /** {@link adopt} for all that one call claimed. */
  adoptAll(heads: ReadonlyArray<RunHead & { readonly token: string }>, sentAt: number): void {
    this.params.heartbeats.together(() => {
      for (const head of heads) this.adopt(head, sentAt);
    });
  }

  /** Somebody wrote to the inbox of a run. A run that is not held here (any more) is none of our business. */
  bell(runId: string): void {
    this.latest.get(runId)?.execution.bell();
  }

  /** The engine renewed a token: the next beat must carry it. */
  tokenChanged(runId: string): void {
    const run = this.latest.get(runId);
    if (run !== undefined) this.tell(run);
  }

  /** Tells the heartbeats what executions looked at, and fences those whose deadline passed without an answered beat. */
  check(): void {
    for (const run of this.held) {
      this.tell(run);
      if (!run.beating.isAlive()) fence(run, 'no heartbeat was answered in time');
    }
  }

  /** From now on nothing new is opened, in claims adopted later too. */
  stop(): void {
    if (this.ending === 'no') this.ending = 'stopping';
    for (const { execution } of this.held) execution.stop();
  }

  interrupt(): void {
    this.ending = 'interrupted';
    for (const { execution } of this.held) execution.interrupt();
  }

  /** Every claim must be taken for lost. */
  fence(reason: string): void {
    for (const run of this.held) fence(run, reason);
  }

  /** Resolves when no claim is held; at once when none is. */
  whenEmpty(): Promise<void> {
    if (this.held.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.whenEmptyCalls.push(resolve));
  }

  private begin(head: RunHead & { readonly token: string }, sentAt: number): void {
    const { heartbeats, execute, workflows, emit } = this.params;
    const workflow = workflows.get(laneName(head.lane));
    if (workflow === undefined) throw new RangeError(`lane ${laneName(head.lane)} is not served here`);
    const { runId, token, inbox } = head;
    this.supersede(runId);
    const guard = new LateGuard();
    const execution = execute({ head, workflow, guard });
    const beating = heartbeats.add(
      { runId, token, inbox, sentAt },
      {
        onLost: () => fence(run, 'a heartbeat found another token'),
        onMoved: () => execution.bell(),
      },
    );
    const run: HeldRun = {
      runId,
      workflow: workflow.name,
      execution,
      beating,
      lossReason: 'the store refused its token',
      told: { token, inbox },
    };
    guard.beating = beating;
    emit({ type: 'run.claimed', runId, workflow: workflow.name, epoch: Number(token.split('.')[0]) });
    this.track(run);
  }

  /** There is one live claim a run: when it is claimed anew, an older claim that still winds up here is lost. */
  private supersede(runId: string): void {
    const older = this.latest.get(runId);
    if (older === undefined) return;
    older.beating.remove();
    fence(older, 'the run was claimed anew');
  }

  private track(run: HeldRun): void {
    this.held.add(run);
    this.latest.set(run.runId, run);
    run.execution
      .drive()
      .then((exit) => this.tellExit(run, exit))
      .catch((thrown: unknown) => this.abandon(run.runId, run.workflow, thrown))
      .finally(() => this.drop(run));
    if (this.ending !== 'no') run.execution.stop();
    if (this.ending === 'interrupted') run.execution.interrupt();
  }

  /** The engine tells of runs that it ended, parked or handed back. */
  private tellExit({ runId, workflow, lossReason }: HeldRun, exit: RunExit): void {
    if (exit.kind === 'lost') this.params.emit({ type: 'claim.lost', runId, workflow, reason: lossReason });
    if (exit.kind === 'failed') this.abandon(runId, workflow, exit.error);
  }

  private abandon(runId: string, workflow: string, thrown: unknown): void {
    this.params.emit({ type: 'run.abandoned', runId, workflow, error: asError(thrown) });
  }

  private tell(run: HeldRun): void {
    const { token, inbox } = run.execution;
    if (token === run.told.token && inbox === run.told.inbox) return;
    run.told = { token, inbox };
    run.beating.update(run.told);
  }

  private drop(run: HeldRun): void {
    run.beating.remove();
    this.held.delete(run);
    if (this.latest.get(run.runId) === run) this.latest.delete(run.runId);
    this.params.onDropped();
    if (this.held.size === 0) for (const resolve of this.whenEmptyCalls.splice(0)) resolve();
  }
}

function fence(run: HeldRun, reason: string): void {
  run.lossReason = reason;
  run.execution.fence(new ClaimLost(run.runId, reason));
}

/** The guard of an execution that is made before its heartbeats begin: a factory that throws must leave no heartbeat behind. */
class LateGuard implements ClaimGuard {
  beating: BeatingClaim | null = null;

  isAlive(): boolean {
    return this.beating?.isAlive() ?? false;
  }
}
