import { asError } from '../core/as-error.js';
import { ClaimLost, PayloadError } from '../core/errors.js';
import type { RunHead } from '../core/run-record.js';
import type { ClaimedRun, EngineDeps, RunExit } from './engine-deps.js';
import { Journal } from './journal.js';
import { RunSession } from './run-session.js';
import { untilAnswered } from './until-answered.js';

/**
 * A worker's work on one claimed run: loads the journal, replays the body and carries it on until the run ends, parks, is
 * handed back or the claim is lost. When the store has lost writes, it takes a new token and begins again from what is there.
 */
export class RunExecution {
  private session: RunSession | null = null;
  private head: RunHead & { readonly token: string };
  private isFenced = false;
  private stopping: 'no' | 'stop' | 'interrupt' = 'no';
  private hasBell = false;

  constructor(
    private readonly deps: EngineDeps,
    private readonly claimed: ClaimedRun,
  ) {
    this.head = claimed.head;
  }

  get runId(): string {
    return this.head.runId;
  }

  get token(): string {
    return this.head.token;
  }

  /** The inbox counter that was last looked at. */
  get inbox(): string {
    return this.session?.inbox ?? this.head.inbox;
  }

  /** Bytes of its input and results in memory, about: characters are counted. */
  get heldBytes(): number {
    return this.head.input.length + (this.session?.resultBytes ?? 0);
  }

  /** True when the run only waits: it needs no slot now. */
  get isIdle(): boolean {
    return this.session?.isIdle ?? false;
  }

  /** Never rejects. */
  async drive(): Promise<RunExit> {
    try {
      return await this.driveSessions();
    } catch (error) {
      if (error instanceof ClaimLost) return { kind: 'lost' };
      return { kind: 'failed', error: asError(error) };
    }
  }

  /** The inbox counter moved: look. */
  bell(): void {
    this.hasBell = true;
    this.session?.bell();
  }

  /** The claim is lost or must be taken for dead: signals are aborted, nothing more is opened, entered or written. */
  fence(): void {
    this.isFenced = true;
    this.session?.fence();
  }

  /** Graceful stop: opens nothing more; running functions may end, then the claim is handed back. */
  stop(): void {
    if (this.stopping === 'no') this.stopping = 'stop';
    this.session?.stop();
  }

  /** The grace period is over: running attempts are given back, and the claim is handed back. */
  interrupt(): void {
    this.stopping = 'interrupt';
    this.session?.interrupt();
  }

  private async driveSessions(): Promise<RunExit> {
    for (;;) {
      const session = await this.openSession();
      if (session === null) return { kind: 'lost' };
      const exit = await session.done;
      if (exit.kind !== 'stale') return exit;
      if (!(await this.renew())) return { kind: 'lost' };
    }
  }

  private async openSession(): Promise<RunSession | null> {
    const { deps, head } = this;
    const claimed: ClaimedRun = { ...this.claimed, head };
    const journal = await untilAnswered(claimed.guard, deps.clock, head.runId, () => Journal.load(deps.store, head));
    if (this.isFenced) return null;
    const isReadable = journal instanceof Journal;
    const session = new RunSession(deps, claimed, isReadable ? journal : new Journal(new Map()), head.inbox);
    this.session = session;
    if (isReadable) session.start();
    else
      session.setAside(new PayloadError('payload_corrupt', `journal entry ${journal.journalNumber} of run ${head.runId} cannot be read`));
    if (this.hasBell) session.bell();
    if (this.stopping === 'stop') session.stop();
    if (this.stopping === 'interrupt') session.interrupt();
    return session;
  }

  /** A token belongs to one history: the one that lost writes gets a new one before it is read. */
  private async renew(): Promise<boolean> {
    const { deps, head } = this;
    const newToken = `${head.token.split('.')[0]}.${deps.random.bits64()}`;
    const call = () => deps.store.renew({ runId: head.runId, token: head.token, newToken, leaseMs: deps.options.leaseMs });
    const renewed = await untilAnswered(this.claimed.guard, deps.clock, head.runId, call);
    if (renewed === 'lost' || this.isFenced) return false;
    this.head = { ...renewed, token: newToken };
    this.session = null;
    deps.onTokenChanged(head.runId, newToken);
    deps.emit({ type: 'claim.renewed', runId: head.runId, workflow: head.lane.workflow });
    return true;
  }
}
