import { Worker } from 'node:worker_threads';
import {
  type AddedClaim,
  type BeatingClaim,
  type ClaimListener,
  type Heartbeats,
  type HeartbeatsParams,
  LEASE_MARGIN_MS,
  Outage,
  systemRandomness,
} from '@millrace/durable';
import type { RedisStorageConfig } from '../redis/index.js';
import { BeatBoard } from './beat-board.js';
import type { BeatCommand, BeatReport, BeatThreadData, ToldClaim } from './beat-messages.js';

/** How often the main loop shows that it lives, ms. */
const TICK_MS = 500;
/** A thread that does not end by itself is ended after this, ms. */
const STOP_LIMIT_MS = 2000;
const NS_PER_MS = 1_000_000;

export interface ThreadHeartbeatsParams extends HeartbeatsParams {
  /** How the thread reaches Redis. Plain data: it crosses the thread boundary. */
  readonly config: RedisStorageConfig;
}

/** From source (tests only) the thread is the built copy: Node runs no TypeScript. */
const here = import.meta.url;
const threadUrl = new URL('./heartbeat-thread.js', here.endsWith('.ts') ? here.replace('/libs/', '/dist/libs/') : here);

/**
 * Heartbeats from a thread with a connection of its own: a blocked event loop keeps its claims, until it has stood still
 * for `maxBlockMs`. A thread that ends is started again; its claims go on counting from the last answered beat meanwhile.
 */
export class ThreadHeartbeats implements Heartbeats {
  private board: BeatBoard;
  private thread: Worker | null = null;
  private isStopped = true;
  private lastCommand = 0n;
  /** Commands that the thread has not been sent yet. */
  private unsent: BeatCommand[] = [];
  private isCollecting = false;
  private readonly claims = new Map<number, ThreadClaim>();
  private readonly freeSlots: number[];
  private readonly outage: Outage;
  private cancelTick = (): void => undefined;
  private cancelRestart = (): void => undefined;

  constructor(private readonly params: ThreadHeartbeatsParams) {
    this.board = BeatBoard.forClaims(params.capacity);
    // Popped from the end: the lowest slot first.
    this.freeSlots = Array.from({ length: params.capacity }, (_, at) => params.capacity - 1 - at);
    this.outage = new Outage({ loop: 'heartbeat', clock: params.clock, random: systemRandomness, emit: params.emit });
  }

  get isHealthy(): boolean {
    return !this.outage.isOn;
  }

  /** Resolves when the thread runs. @throws Error when it cannot be started */
  async start(): Promise<void> {
    if (!this.isStopped) return;
    this.isStopped = false;
    this.tick();
    try {
      await this.launch();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    this.cancelTick();
    this.cancelRestart();
    for (const claim of this.claims.values()) claim.remove();
    const thread = this.thread;
    this.thread = null;
    if (thread !== null) await endThread(thread, this.params.clock);
  }

  add(claim: AddedClaim, listener: ClaimListener): BeatingClaim {
    const slot = this.freeSlots.pop();
    if (slot === undefined) throw new RangeError(`more than ${this.params.capacity} claims have heartbeats`);
    const added = new ThreadClaim({
      claim,
      slot,
      listener,
      leaseMs: this.params.leaseMs,
      coveredAt: this.hrtimeOf(claim.sentAt),
      board: () => this.board,
      hold: (held) => this.hold(held),
      post: (command) => this.post(command),
      onRemoved: () => {
        this.claims.delete(slot);
        this.freeSlots.push(slot);
      },
    });
    this.claims.set(slot, added);
    return added;
  }

  together(add: () => void): void {
    this.isCollecting = true;
    try {
      add();
    } finally {
      this.isCollecting = false;
      this.flush();
    }
  }

  /** The main loop lives. Goes on by itself. */
  private tick(): void {
    this.cancelTick();
    this.board.tick(process.hrtime.bigint());
    this.cancelTick = this.params.clock.after(TICK_MS, () => this.tick());
  }

  /** Numbers the command that makes the thread beat for a claim: a beat covers it if the thread had got this far. */
  private hold(claim: Readonly<{ slot: number; runId: string; token: string; inbox: string }>): bigint {
    this.lastCommand += 1n;
    this.post({ ...claim, kind: 'hold', command: this.lastCommand });
    return this.lastCommand;
  }

  /** That claims are over is told once a turn, before anybody's next step: a message costs more than what it says. */
  private post(command: BeatCommand): void {
    this.unsent.push(command);
    if (command.kind === 'drop') setImmediate(() => this.flush());
    else if (!this.isCollecting) this.flush();
  }

  private flush(): void {
    const commands = this.unsent;
    if (commands.length === 0) return;
    this.unsent = [];
    this.thread?.postMessage(commands);
  }

  private async launch(): Promise<void> {
    const { config, leaseMs, heartbeatMs, maxBlockMs, capacity } = this.params;
    // A board of its own: what a thread that was given up still writes concerns nobody.
    const board = BeatBoard.forClaims(capacity);
    board.tick(process.hrtime.bigint());
    const workerData: BeatThreadData = { config, board: board.buffer, leaseMs, heartbeatMs, maxBlockMs };
    const thread = new Worker(threadUrl, { workerData, execArgv: [] });
    await started(thread);
    if (this.isStopped) {
      await endThread(thread, this.params.clock);
      return;
    }
    for (const claim of this.claims.values()) claim.keepProof();
    this.board = board;
    this.thread = thread;
    // It is told of every claim anew.
    this.unsent = [];
    thread.on('message', (report: BeatReport) => this.onReport(report));
    thread.on('error', (error) => this.onEnded(thread, error));
    thread.on('exit', (code) => this.onEnded(thread, new Error(`the heartbeat thread ended with code ${code}`)));
    this.together(() => {
      for (const claim of this.claims.values()) claim.holdAgain();
    });
  }

  private onEnded(thread: Worker, error: Error): void {
    if (this.thread !== thread) return;
    this.thread = null;
    this.launchLater(error);
  }

  private launchLater(error: unknown): void {
    const retryInMs = this.outage.failed(error);
    if (this.isStopped) return;
    this.cancelRestart = this.params.clock.after(retryInMs, () => {
      this.launch().catch((failure: unknown) => this.launchLater(failure));
    });
  }

  private onReport(report: BeatReport): void {
    if (report.kind === 'failed') this.outage.failed(new Error(report.message));
    else if (report.kind === 'stalled') this.params.emit({ type: 'heartbeat.stalled', blockedMs: report.blockedMs });
    else if (report.kind === 'beaten') this.onBeaten(report);
  }

  private onBeaten({ now, receivedAt, lost, moved }: Extract<BeatReport, { kind: 'beaten' }>): void {
    this.outage.succeeded();
    this.params.onServerTime(now, this.monotonicOf(receivedAt));
    for (const told of lost) this.claims.get(told.slot)?.onLost(told);
    for (const told of moved) this.claims.get(told.slot)?.onMoved(told);
  }

  /** Both clocks run alike and differ in origin: an instant goes from one to the other by its age. */
  private hrtimeOf(monotonic: number): bigint {
    return process.hrtime.bigint() - BigInt(Math.round((this.params.clock.monotonic() - monotonic) * NS_PER_MS));
  }

  private monotonicOf(hrtime: bigint): number {
    return this.params.clock.monotonic() - Number(process.hrtime.bigint() - hrtime) / NS_PER_MS;
  }
}

interface ThreadClaimParams {
  readonly claim: AddedClaim;
  readonly slot: number;
  readonly listener: ClaimListener;
  readonly leaseMs: number;
  readonly coveredAt: bigint;
  readonly board: () => BeatBoard;
  readonly hold: (held: Readonly<{ slot: number; runId: string; token: string; inbox: string }>) => bigint;
  readonly post: (command: BeatCommand) => void;
  readonly onRemoved: () => void;
}

class ThreadClaim implements BeatingClaim {
  private held: Readonly<{ slot: number; runId: string; token: string; inbox: string }>;
  /** Of the last `hold` about it. */
  private command: bigint;
  /** What was proven under earlier commands. */
  private coveredAt: bigint;
  private isOver = false;
  private readonly lifeNs: bigint;

  constructor(private readonly params: ThreadClaimParams) {
    const { claim, slot, leaseMs, coveredAt } = params;
    this.held = { slot, runId: claim.runId, token: claim.token, inbox: claim.inbox };
    this.coveredAt = coveredAt;
    this.lifeNs = BigInt((leaseMs - LEASE_MARGIN_MS) * NS_PER_MS);
    this.command = params.hold(this.held);
  }

  isAlive(): boolean {
    if (this.isOver) return false;
    // The proof is read before the loss: the thread writes them the other way round.
    const provenAt = this.provenAt();
    return !this.params.board().isLost(this.held.slot, this.command) && process.hrtime.bigint() < provenAt + this.lifeNs;
  }

  update({ token, inbox }: Readonly<{ token: string; inbox: string }>): void {
    if (this.isOver) return;
    const hasNewToken = token !== this.held.token;
    this.held = { ...this.held, token, inbox };
    if (!hasNewToken) return this.params.post({ kind: 'looked', slot: this.held.slot, inbox });
    this.keepProof();
    this.holdAgain();
  }

  remove(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.params.post({ kind: 'drop', slot: this.held.slot });
    this.params.onRemoved();
  }

  /** What the beats so far have proven stays true when the next command, or another thread, begins anew. */
  keepProof(): void {
    this.coveredAt = this.provenAt();
  }

  holdAgain(): void {
    this.command = this.params.hold(this.held);
  }

  onLost({ command }: ToldClaim): void {
    if (this.isOver || command !== this.command) return;
    this.remove();
    this.params.listener.onLost();
  }

  onMoved({ command, inbox }: ToldClaim): void {
    if (!this.isOver && command === this.command && inbox === this.held.inbox) this.params.listener.onMoved();
  }

  private provenAt(): bigint {
    const { covers, sentAt } = this.params.board().readProof();
    return covers >= this.command && sentAt > this.coveredAt ? sentAt : this.coveredAt;
  }
}

/** `online` comes before the code is loaded; the first report comes after. */
function started(thread: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number): void => reject(new Error(`the heartbeat thread ended with code ${code} before it ran`));
    thread.once('error', reject);
    thread.once('exit', onExit);
    thread.once('message', () => {
      thread.off('error', reject);
      thread.off('exit', onExit);
      resolve();
    });
  });
}

async function endThread(thread: Worker, clock: HeartbeatsParams['clock']): Promise<void> {
  const exited = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
  thread.postMessage([{ kind: 'stop' }] satisfies BeatCommand[]);
  let cancel = (): void => undefined;
  const limit = new Promise<void>((resolve) => {
    cancel = clock.after(STOP_LIMIT_MS, resolve);
  });
  await Promise.race([exited, limit]);
  cancel();
  await thread.terminate();
}
