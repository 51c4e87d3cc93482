import type { EventSink } from '../core/events.js';
import type { ClaimGuard } from '../engine/claim-guard.js';
import type { Clock } from '../ports/clock.js';
import type { HeldClaim } from '../ports/run-store.js';

/** A claim whose lease is to be kept alive. */
export interface AddedClaim extends HeldClaim {
  /** Monotonic instant before the claim call was sent: the lease is counted from there until a beat covers the claim. */
  readonly sentAt: number;
}

/** What the heartbeats tell the holder of one claim, in the main loop's turn. */
export interface ClaimListener {
  /** The token is not the record's any more. Told at most once. */
  onLost(): void;
  /** The inbox counter is not the one that was handed in last. */
  onMoved(): void;
}

/** One claim that is kept alive. The guard of the executor that holds it. */
export interface BeatingClaim extends ClaimGuard {
  /** The token was renewed, or the inbox was looked at. A report about the token or inbox before it is ignored. */
  update(claim: Readonly<{ token: string; inbox: string }>): void;
  /** No beat is sent for it any more, and it is not alive any more. Idempotent. */
  remove(): void;
}

export interface HeartbeatsParams {
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  /** No beat is sent while the main loop has stood still for this long. */
  readonly maxBlockMs: number;
  /** The most claims held at once. */
  readonly capacity: number;
  readonly clock: Clock;
  readonly emit: EventSink;
  /** Redis time as a beat's answer said it, and the monotonic instant at which the answer arrived. */
  readonly onServerTime: (now: number, receivedAt: number) => void;
}

/**
 * Keeps the leases of claims alive. A claim is alive until (the later of: the instant before its claim call was sent,
 * the instant before the last answered beat that covered it was sent) + lease − 1 s, unless a beat found it lost.
 */
export interface Heartbeats {
  start(): Promise<void>;
  /** Ends the beats; every claim still in it counts as dead from then on. */
  stop(): Promise<void>;
  add(claim: AddedClaim, listener: ClaimListener): BeatingClaim;
  /** What `add` adds meanwhile is kept alive from the end of this call on, and costs less than one by one. */
  together(add: () => void): void;
  /** False while beats are not answered. */
  readonly isHealthy: boolean;
}

/** What a worker asks its storage to make: heartbeats with means of their own (a thread with a connection). */
export type HeartbeatsFactory = (params: HeartbeatsParams) => Heartbeats;
