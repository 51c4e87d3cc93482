import type { RedisStorageConfig } from '../redis/index.js';

/** What a heartbeat thread is started with. Crosses the thread boundary: plain data. */
export interface BeatThreadData {
  readonly config: RedisStorageConfig;
  readonly board: SharedArrayBuffer;
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  readonly maxBlockMs: number;
}

/** Main thread to heartbeat thread, in lists. Commands are numbered 1, 2, 3 … and arrive in this order. */
export type BeatCommand =
  /** A claim, or another token of it. */
  | {
      readonly kind: 'hold';
      readonly command: bigint;
      readonly slot: number;
      readonly runId: string;
      readonly token: string;
      readonly inbox: string;
    }
  /** The inbox was looked at; the claim is what it was. */
  | { readonly kind: 'looked'; readonly slot: number; readonly inbox: string }
  | { readonly kind: 'drop'; readonly slot: number }
  | { readonly kind: 'stop' };

/** A claim as the beat had it that the answer is about. */
export interface ToldClaim {
  readonly slot: number;
  readonly command: bigint;
  readonly inbox: string;
}

/** Heartbeat thread to main thread. */
export type BeatReport =
  /** Its code is loaded. The first report. */
  | { readonly kind: 'started' }
  | {
      readonly kind: 'beaten';
      readonly now: number;
      readonly receivedAt: bigint;
      readonly lost: readonly ToldClaim[];
      readonly moved: readonly ToldClaim[];
    }
  | { readonly kind: 'failed'; readonly message: string; readonly retryInMs: number }
  /** Beats ceased because the main loop stood still. */
  | { readonly kind: 'stalled'; readonly blockedMs: number };
