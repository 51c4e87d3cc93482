import { AbortedByClaimLoss, RunCancelled } from '../core/errors.js';
import type { CancelRequest } from '../core/run-record.js';
import type { CommitThen } from '../ports/run-store.js';
import { BodyReplay } from './body-replay.js';
import { CommitLane } from './commit-lane.js';
import { Uncommitted } from './commit-draft.js';
import { DueTimer } from './due-timer.js';
import type { ClaimedRun, EngineDeps, RunExit } from './engine-deps.js';
import type { Journal } from './journal.js';
import { type Operation, SleepOperation, StepOperation } from './operations.js';
import { OpeningQueue } from './opening-queue.js';
import { ResultReferences } from './result-references.js';
import type { AttemptOutcome } from './step-attempt.js';
import { StepAttempts } from './step-attempts.js';

/** The session is over; `stale`: writes were lost, renew the token and reload. */
export type SessionExit = RunExit | { readonly kind: 'stale' };

type EndStatus = Extract<CommitThen, { kind: 'end' }>['status'];

/** Why a run ends other than by its body. */
type Verdict =
  | { readonly kind: 'set-aside'; readonly error: Error }
  | { readonly kind: 'cancel'; readonly request: CancelRequest; isPatient: boolean };

/**
 * One replay of a run's body and its live work from there, under one token. It is an actor of the event loop: every
 * entry point changes its state synchronously and then lets {@link advance} decide what the state asks for. One commit is
 * in flight at most.
 */
export class RunSession {
  readonly done: Promise<SessionExit>;
  private exit!: (exit: SessionExit) => void;
  private isOver = false;

  /** What every event about it says. */
  private readonly about: Readonly<{ runId: string; workflow: string }>;
  private readonly body: BodyReplay;
  private readonly uncommitted: Uncommitted;
  private readonly commits: CommitLane;
  private readonly due: DueTimer;
  private readonly references = new ResultReferences();
  private readonly attempts: StepAttempts;

  private readonly toOpen: OpeningQueue;

  private verdict: Verdict | null = null;
  private stopping = false;
  private isFenced = false;
  /** A commit in flight ends, parks or releases the run. */
  private givesUpClaim = false;
  private isClosed = false;
  private cancelPatience = (): void => undefined;

  constructor(
    private readonly deps: EngineDeps,
    private readonly claimed: ClaimedRun,
    journal: Journal,
    inbox: string,
  ) {
    const { head } = claimed;
    this.about = { runId: head.runId, workflow: head.lane.workflow };
    this.done = new Promise((resolve) => {
      this.exit = resolve;
    });
    this.resultBytes = journal.bytes;
    this.uncommitted = new Uncommitted(head.journalEnd);
    this.uncommitted.noteRecorded([...journal].map(([journalNumber]) => journalNumber));
    this.commits = new CommitLane(deps, claimed, inbox);
    this.toOpen = new OpeningQueue(deps.slots, () => this.advance());
    this.due = new DueTimer(deps.clock, deps.serverClock, (operations) => this.onDue(operations));
    this.attempts = new StepAttempts({
      deps,
      about: this.about,
      uncommitted: this.uncommitted,
      sinceCreation: () => this.sinceCreation(),
      onOutcome: (step) => this.onOutcome(step),
      onRetry: (step) => this.waitUntilDue(step),
      onUndecidable: (error) => {
        this.verdict ??= { kind: 'set-aside', error };
      },
      onEnded: () => this.advance(),
    });
    this.body = new BodyReplay(deps, claimed, journal, {
      activate: (operation) => this.activate(operation),
      onHandedOver: (operation) => this.uncommitted.add(operation),
      onReplayed: (operation) => this.noteResult(operation),
      onQuiet: () => this.advance(),
      onFault: (error) => this.setAside(error),
    });
  }

  get inbox(): string {
    return this.commits.inbox;
  }

  /** Bytes of the journal and of the results since, about. The body may hold on to all of them. */
  resultBytes: number;

  /** True when it only waits: no function runs or is queued and there is nothing to commit. */
  get isIdle(): boolean {
    return this.attempts.size === 0 && this.toOpen.size === 0 && !this.commits.isBusy && this.uncommitted.isEmpty && !this.body.isBusy;
  }

  start(): void {
    const { cancel } = this.claimed.head;
    if (cancel !== null) this.beginCancel(cancel);
    else this.body.start();
    this.advance();
  }

  /** The inbox counter moved. */
  bell(): void {
    if (!this.isOver) this.commits.look((view) => this.onLooked(view));
  }

  /**
   * The claim is dead or lost: nothing more is opened, entered or written. While a commit that gives the claim up is in flight
   * its answer decides: a heartbeat that overtook it found the token gone because the run has ended.
   */
  fence(): void {
    this.isFenced = true;
    if (!this.givesUpClaim) this.finish({ kind: 'lost' });
  }

  /** Opens nothing more; running functions may end. */
  stop(): void {
    this.stopping = true;
    this.advance();
  }

  /** The grace period is over: running attempts are given back and the claim is handed back. */
  interrupt(): void {
    if (this.isOver) return;
    this.stopping = true;
    this.attempts.interruptAll();
    this.advance();
  }

  /** Leaves the run to the operator, with the reason. One that is being cancelled needs no operator. */
  setAside(error: Error): void {
    this.verdict ??= { kind: 'set-aside', error };
    // A body that was never started, because its journal cannot be read, would count for ever as one that still replays.
    this.body.freeze();
    this.advance();
  }

  // --- what the body asked for -------------------------------------------------------------------------------------

  /** The replay is over and this operation has no outcome in the journal: its work begins, or goes on. */
  private activate(operation: Operation): void {
    if (operation instanceof SleepOperation) this.activateSleep(operation);
    else this.activateStep(operation);
  }

  private activateSleep(sleep: SleepOperation): void {
    if (sleep.state === 'new') {
      sleep.state = 'pending';
      sleep.startedAfter = this.sinceCreation();
      sleep.endedAfter = sleep.startedAfter + sleep.durationMs;
      this.uncommitted.add(sleep);
    }
    this.waitUntilDue(sleep);
  }

  private waitUntilDue(operation: Operation): void {
    if (operation.endedAfter <= this.sinceCreation()) this.fallDue(operation);
    else this.due.add(operation, this.claimed.head.createdAt + operation.endedAfter);
  }

  private fallDue(operation: Operation): void {
    if (operation instanceof StepOperation) this.toOpen.add(operation);
    else {
      operation.state = 'done';
      this.body.hasOutcome(operation);
    }
  }

  private activateStep(step: StepOperation): void {
    if (step.state === 'new') this.toOpen.add(step);
    else if (step.state === 'open') this.attempts.recoverLost(step);
    else this.waitUntilDue(step);
  }

  private onDue(operations: readonly Operation[]): void {
    for (const operation of operations) this.fallDue(operation);
    this.advance();
  }

  // --- attempts ----------------------------------------------------------------------------------------------------

  private enterAll(steps: readonly StepOperation[]): void {
    for (const step of steps) {
      // Right before user code is called; an attempt that is opened and not entered now stays charged.
      if (this.isOver || !this.claimed.guard.isAlive()) {
        this.deps.slots.release();
        this.fence();
      } else if (this.opensNothing) this.attempts.giveBack(step);
      else this.attempts.enter(step);
    }
  }

  private onOutcome(step: StepOperation): void {
    this.resultBytes += step.payload?.length ?? 0;
    this.noteResult(step);
    this.body.hasOutcome(step);
  }

  private noteResult(operation: Operation): void {
    if (operation.state === 'completed' && operation.payload !== null) this.references.add(operation.journalNumber, operation.payload);
  }

  // --- cancel ------------------------------------------------------------------------------------------------------

  private onLooked(view: { readonly cancel: CancelRequest | null } | 'lost' | Error): void {
    if (this.isOver) return;
    if (view === 'lost') return this.fence();
    if (view instanceof Error) return this.finish({ kind: 'failed', error: view });
    if (view.cancel !== null) this.beginCancel(view.cancel);
    this.advance();
  }

  /** No step starts any more. The run is cancelled when its running functions have ended, at the latest after `abandonMs`. */
  private beginCancel(request: CancelRequest): void {
    if (this.verdict !== null) return;
    const verdict: Verdict = { kind: 'cancel', request, isPatient: true };
    this.verdict = verdict;
    const reason = new RunCancelled(this.about.runId, request.reason);
    this.body.abort(reason);
    this.attempts.abortAll(reason);
    this.cancelPatience = this.deps.clock.after(this.deps.options.abandonMs, () => {
      verdict.isPatient = false;
      this.advance();
    });
  }

  // --- commits -----------------------------------------------------------------------------------------------------

  /** Decides what the state asks for. Called after every change; does nothing while a commit is in flight or the body runs. */
  private advance(): void {
    if (this.isOver || this.commits.isBusy || this.body.isTakingIn) return;
    if (!this.claimed.guard.isAlive()) return this.fence();
    if (this.opensNothing) this.toOpen.shut();
    const then = this.nextThen();
    if (then.kind === 'end') this.closeAll(then.status);
    const openings = then.kind === 'continue' ? this.toOpen.take() : [];
    if (then.kind === 'continue' && this.uncommitted.isEmpty && openings.length === 0) return;
    this.commit(then, openings);
  }

  private nextThen(): CommitThen {
    const { verdict } = this;
    const carryOn: CommitThen = { kind: 'continue' };
    if (verdict?.kind === 'set-aside') return this.endWith('set-aside', verdict.error);
    if (verdict?.kind === 'cancel') {
      const isReady = this.attempts.size === 0 || !verdict.isPatient;
      return isReady ? this.endWith('cancelled', new RunCancelled(this.about.runId, verdict.request.reason)) : carryOn;
    }
    if (this.body.isBusy) return carryOn;
    if (this.body.result !== null) return this.endOfBody(this.body.result);
    if (this.stopping && this.attempts.size === 0) return { kind: 'release', bits: this.deps.random.bits64() };
    return this.canPark() ? { kind: 'park', inbox: this.inbox, wakeAt: Math.ceil(this.due.earliest) } : carryOn;
  }

  private endOfBody(result: AttemptOutcome): CommitThen {
    if (result.kind === 'threw') return this.endWith('failed', result.error);
    try {
      const output = this.deps.codec.encode(result.value, { what: 'output of the run' });
      return { kind: 'end', status: 'completed', output: this.references.refer(output) };
    } catch (error) {
      return this.endWith('failed', error);
    }
  }

  private endWith(status: 'failed' | 'cancelled' | 'set-aside', error: unknown): CommitThen {
    return { kind: 'end', status, error: this.deps.codec.encodeError(error) };
  }

  /** A run is parked when nothing of it can go on before the linger is over, and its earliest waker is in the commit. */
  private canPark(): boolean {
    if (this.stopping || this.attempts.size > 0 || this.toOpen.size > 0 || this.due.size === 0) return false;
    return this.due.earliest > this.deps.serverClock.now() + this.deps.options.lingerMs;
  }

  /**
   * The end closes everything: what is still open is abandoned, in the same commit, or in those before it when one does not
   * hold all. Once: a second time would fill the next commit with the same. A run that is set aside goes on one day: its
   * results are kept, and what is open stays so.
   */
  private closeAll(status: EndStatus): void {
    if (this.isClosed) return;
    this.isClosed = true;
    if (this.attempts.size > 0) this.attempts.giveUpAll(new RunCancelled(this.about.runId, `the run ended as ${status}`));
    this.due.stop();
    this.toOpen.shut();
    for (const operation of this.body.notHandedOver()) {
      const isWritten = operation.isRecorded || this.uncommitted.has(operation);
      if (!isWritten || (status === 'set-aside' && !operation.isSettled)) continue;
      if (!operation.isSettled) operation.abandon(this.sinceCreation());
      this.uncommitted.add(operation);
    }
  }

  private get opensNothing(): boolean {
    return this.isOver || this.stopping || this.verdict !== null;
  }

  private commit(then: CommitThen, openings: readonly StepOperation[]): void {
    for (const step of openings) {
      step.state = 'open';
      step.used += 1;
      step.startedAfter = this.sinceCreation();
    }
    const draft = this.uncommitted.draft({
      claim: this.commits.position,
      openings,
      openAttempts: this.attempts.size + openings.length,
      then,
    });
    // What did not fit beside a large delta is opened by the next commit.
    if (draft.openings.length < openings.length) this.takeBackOpenings(openings);
    this.givesUpClaim = draft.commit.then.kind !== 'continue';
    this.commits.send(draft.commit, (answer) => {
      this.givesUpClaim = false;
      if (this.isOver) for (const _ of draft.openings) this.deps.slots.release();
      else if (answer === 'ok') {
        this.uncommitted.applied(draft);
        this.onApplied(draft.commit.then, draft.openings);
      } else if (answer === 'look' && !this.isFenced) {
        this.takeBackOpenings(draft.openings);
        this.uncommitted.refused(draft);
        this.commits.look((view) => this.onLooked(view));
      } else {
        for (const _ of draft.openings) this.deps.slots.release();
        this.finish(
          answer === 'lost' || answer === 'look'
            ? { kind: 'lost' }
            : answer === 'stale'
              ? { kind: 'stale' }
              : { kind: 'failed', error: answer },
        );
      }
    });
  }

  private takeBackOpenings(openings: readonly StepOperation[]): void {
    for (const step of openings) {
      step.used -= 1;
      step.state = step.isRecorded || step.used > 0 ? 'retrying' : 'new';
    }
    this.toOpen.putBack(openings);
  }

  private onApplied(then: CommitThen, openings: readonly StepOperation[]): void {
    if (then.kind === 'end') return this.onEnded(then);
    if (then.kind === 'park') {
      this.deps.emit({ type: 'run.parked', ...this.about, wakeAt: then.wakeAt });
      return this.finish({ kind: 'parked' });
    }
    if (then.kind === 'release') {
      this.deps.emit({ type: 'run.released', ...this.about });
      return this.finish({ kind: 'released' });
    }
    this.enterAll(openings);
    this.advance();
  }

  private onEnded(then: Extract<CommitThen, { kind: 'end' }>): void {
    this.deps.emit({ type: 'run.ended', ...this.about, status: then.status, error: then.error ?? null });
    this.finish({ kind: 'ended', status: then.status });
  }

  private finish(exit: SessionExit): void {
    if (this.isOver) return;
    this.isOver = true;
    // A run that ended, was parked or handed back has lost nothing: its signal stays as it is.
    if (exit.kind === 'lost' || exit.kind === 'stale' || exit.kind === 'failed') {
      const reason = new AbortedByClaimLoss(this.about.runId);
      this.body.abort(reason);
      this.attempts.giveUpAll(reason);
    } else this.body.freeze();
    this.due.stop();
    this.cancelPatience();
    this.toOpen.shut();
    this.exit(exit);
  }

  private sinceCreation(): number {
    return Math.max(0, Math.round(this.deps.serverClock.now() - this.claimed.head.createdAt));
  }
}
