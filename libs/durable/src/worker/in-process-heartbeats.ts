import type { Randomness } from '../ports/clock.js';
import type { RunStore } from '../ports/run-store.js';
import type { AddedClaim, BeatingClaim, ClaimListener, Heartbeats, HeartbeatsParams } from './heartbeats.js';
import { PeriodicLoop } from './periodic-loop.js';
import { LEASE_MARGIN_MS } from './worker-options.js';

export interface InProcessHeartbeatsParams extends HeartbeatsParams {
  readonly store: Pick<RunStore, 'heartbeat'>;
  readonly random: Randomness;
}

/**
 * Heartbeats out of the main loop, for stores that live in this process and for tests. A blocked event loop loses its
 * claims with them; workers on Redis beat from a thread.
 */
export class InProcessHeartbeats implements Heartbeats {
  private readonly claims = new Set<InProcessClaim>();
  private readonly loop: PeriodicLoop;

  constructor(private readonly params: InProcessHeartbeatsParams) {
    const { clock, random, emit, heartbeatMs } = params;
    this.loop = new PeriodicLoop({ name: 'heartbeat', clock, random, emit, firstDelayMs: heartbeatMs, turn: () => this.beat() });
  }

  get isHealthy(): boolean {
    return !this.loop.isFailing;
  }

  start(): Promise<void> {
    this.loop.start();
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    for (const claim of this.claims) claim.remove();
    await this.loop.stop();
  }

  add(claim: AddedClaim, listener: ClaimListener): BeatingClaim {
    const added = new InProcessClaim(claim, listener, this.params, () => this.claims.delete(added));
    this.claims.add(added);
    return added;
  }

  together(add: () => void): void {
    add();
  }

  /** One beat now. */
  tick(): Promise<void> {
    return this.loop.tick();
  }

  private async beat(): Promise<number> {
    const { store, leaseMs, heartbeatMs, clock, onServerTime } = this.params;
    const beaten = [...this.claims].map((claim) => ({ claim, sent: claim.held }));
    const sentAt = clock.monotonic();
    const answer = await store.heartbeat({ claims: beaten.map(({ sent }) => sent), leaseMs });
    onServerTime(answer.now, clock.monotonic());
    const [lost, moved] = [new Set(answer.lost), new Set(answer.moved)];
    for (const { claim, sent } of beaten) {
      claim.answered(sent, { sentAt, isLost: lost.has(sent.runId), isMoved: moved.has(sent.runId) });
    }
    return heartbeatMs;
  }
}

type Held = Readonly<{ runId: string; token: string; inbox: string }>;

class InProcessClaim implements BeatingClaim {
  held: Held;
  private coveredAt: number;
  private isOver = false;

  constructor(
    claim: AddedClaim,
    private readonly listener: ClaimListener,
    private readonly params: Pick<HeartbeatsParams, 'clock' | 'leaseMs'>,
    private readonly onRemoved: () => void,
  ) {
    this.held = { runId: claim.runId, token: claim.token, inbox: claim.inbox };
    this.coveredAt = claim.sentAt;
  }

  isAlive(): boolean {
    return !this.isOver && this.params.clock.monotonic() < this.coveredAt + this.params.leaseMs - LEASE_MARGIN_MS;
  }

  update({ token, inbox }: Readonly<{ token: string; inbox: string }>): void {
    this.held = { runId: this.held.runId, token, inbox };
  }

  remove(): void {
    this.isOver = true;
    this.onRemoved();
  }

  answered(sent: Held, answer: Readonly<{ sentAt: number; isLost: boolean; isMoved: boolean }>): void {
    // The answer is about the token that was sent: after a renewal it says nothing of the claim.
    if (this.isOver || sent.token !== this.held.token) return;
    if (answer.isLost) {
      this.remove();
      this.listener.onLost();
      return;
    }
    this.coveredAt = Math.max(this.coveredAt, answer.sentAt);
    if (answer.isMoved && sent.inbox === this.held.inbox) this.listener.onMoved();
  }
}
