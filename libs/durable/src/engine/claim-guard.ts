/**
 * What a worker knows of one of its claims. The executor asks it right before user code is called and before anything is
 * opened: a holder takes its claim for dead at (monotonic instant before the last answered heartbeat was sent) + lease − 1 s.
 */
export interface ClaimGuard {
  /** False once the claim must be taken for dead. Reads memory shared with the heartbeat thread; asks nobody. */
  isAlive(): boolean;
}

/** Redis time as this process estimates it from answered calls: server offset + monotonic clock. */
export interface ServerClock {
  now(): number;
}
