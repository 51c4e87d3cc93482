import type { HeartbeatAnswer, HeldClaim } from '@millrace/durable';
import type { BeatBoard } from './beat-board.js';
import type { BeatCommand, BeatReport, ToldClaim } from './beat-messages.js';

/** Between two tries while beats fail, ms. A beat is small, and the claims' time runs. */
const RETRY_MS = 250;
const NS_PER_MS = 1_000_000n;

export interface BeatLoopParams {
  readonly board: BeatBoard;
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  readonly maxBlockMs: number;
  readonly send: (request: Readonly<{ claims: readonly HeldClaim[]; leaseMs: number }>) => Promise<HeartbeatAnswer>;
  readonly report: (report: BeatReport) => void;
  /** `process.hrtime.bigint`. */
  readonly now: () => bigint;
  /** Calls back once after `ms`; the answer cancels it. */
  readonly after: (ms: number, callback: () => void) => () => void;
}

interface Held extends ToldClaim {
  readonly runId: string;
  readonly token: string;
}

/** The heartbeat thread's work: one beat after another, for the claims that the main thread named. */
export class BeatLoop {
  private readonly held = new Map<number, Held>();
  private lastCommand = 0n;
  private isStarted = false;
  private isStalled = false;
  private inFlight: Promise<void> | null = null;
  private cancelTimer = (): void => undefined;

  constructor(private readonly params: BeatLoopParams) {}

  start(): void {
    if (this.isStarted) return;
    this.isStarted = true;
    this.arm(this.params.heartbeatMs);
  }

  /** No beat is sent after it; resolves when the one in flight is over. */
  async stop(): Promise<void> {
    this.isStarted = false;
    this.cancelTimer();
    await this.inFlight;
  }

  handle(command: Exclude<BeatCommand, { kind: 'stop' }>): void {
    const { slot } = command;
    if (command.kind === 'drop') this.held.delete(slot);
    else if (command.kind === 'looked') this.look(slot, command.inbox);
    else {
      this.lastCommand = command.command;
      this.held.set(slot, command);
    }
  }

  /** One beat now; joins the one in flight. */
  tick(): Promise<void> {
    this.inFlight ??= this.beatUnlessStalled().finally(() => {
      this.inFlight = null;
    });
    return this.inFlight;
  }

  private look(slot: number, inbox: string): void {
    const held = this.held.get(slot);
    if (held !== undefined) this.held.set(slot, { ...held, inbox });
  }

  private arm(ms: number): void {
    if (!this.isStarted) return;
    this.cancelTimer();
    this.cancelTimer = this.params.after(ms, () => void this.tick());
  }

  private async beatUnlessStalled(): Promise<void> {
    const { now, board, maxBlockMs, heartbeatMs } = this.params;
    const sentAt = now();
    const blockedMs = Number((sentAt - board.tickedAt) / NS_PER_MS);
    const wasStalled = this.isStalled;
    this.isStalled = blockedMs > maxBlockMs;
    if (this.isStalled) {
      if (!wasStalled) this.params.report({ kind: 'stalled', blockedMs });
      this.arm(RETRY_MS);
      return;
    }
    this.arm((await this.beat(sentAt)) ? Math.max(0, heartbeatMs - Number((now() - sentAt) / NS_PER_MS)) : RETRY_MS);
  }

  /** Answers whether the beat was answered. */
  private async beat(sentAt: bigint): Promise<boolean> {
    const { send, report, leaseMs } = this.params;
    const covers = this.lastCommand;
    const beaten = [...this.held.values()];
    try {
      const answer = await send({ claims: beaten.map(({ runId, token, inbox }) => ({ runId, token, inbox })), leaseMs });
      this.settle(beaten, answer, { sentAt, covers });
      return true;
    } catch (error) {
      report({ kind: 'failed', message: error instanceof Error ? error.message : String(error), retryInMs: RETRY_MS });
      return false;
    }
  }

  private settle(
    beaten: readonly Held[],
    { now, lost, moved }: HeartbeatAnswer,
    proof: Readonly<{ sentAt: bigint; covers: bigint }>,
  ): void {
    const receivedAt = this.params.now();
    const lostRuns = new Set(lost);
    const movedRuns = new Set(moved);
    const lostClaims = beaten.filter(({ runId }) => lostRuns.has(runId));
    for (const { slot, command } of lostClaims) this.params.board.markLost(slot, command);
    this.params.board.prove(proof);
    const movedClaims = beaten.filter(({ runId }) => movedRuns.has(runId) && !lostRuns.has(runId));
    this.params.report({ kind: 'beaten', now, receivedAt, lost: lostClaims.map(told), moved: movedClaims.map(told) });
  }
}

function told({ slot, command, inbox }: Held): ToldClaim {
  return { slot, command, inbox };
}
