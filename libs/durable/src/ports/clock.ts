/** Time and timers of a process. Tests use a fake one. */
export interface Clock {
  /** Monotonic, ms, fractional; the origin is arbitrary. Deadlines are counted with this one. */
  monotonic(): number;
  /** Wall clock, ms since the epoch. For logs and announcements only: durable instants are Redis time. */
  wall(): number;
  /** Calls back once after `ms` (any length: delays beyond 2^31 − 1 ms are chained). The returned function cancels it. */
  after(ms: number, callback: () => void): () => void;
}

/** Randomness of a process. */
export interface Randomness {
  /** 64 random bits, base64url, 11 characters. */
  bits64(): string;
  /** Uniform in [0, 1). */
  fraction(): number;
}
