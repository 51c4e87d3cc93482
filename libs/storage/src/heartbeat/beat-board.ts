/** Words of the header; one word a claim follows. All instants are `process.hrtime.bigint()`, the one clock of all threads of a process. */
const MAIN_TICK_AT = 0;
const BEAT_SENT_AT = 1;
const BEAT_COVERS = 2;
const HEADER_WORDS = 3;

/** What the last answered beat proves: every claim whose last command is `covers` or earlier was alive when it was sent. */
export interface BeatProof {
  readonly sentAt: bigint;
  readonly covers: bigint;
}

/**
 * Memory that the main thread and the heartbeat thread share, so that either knows how the other is without a message: a
 * message waits for an event loop, and a blocked event loop is what this is for.
 *
 * Order is part of the promise. The thread writes losses, then the instant, then what the beat covers; the main thread
 * reads in the opposite order. So whoever sees that a beat covers a claim sees its instant or a later one, and its loss.
 */
export class BeatBoard {
  private readonly words: BigInt64Array;

  constructor(readonly buffer: SharedArrayBuffer) {
    this.words = new BigInt64Array(buffer);
  }

  static forClaims(capacity: number): BeatBoard {
    return new BeatBoard(new SharedArrayBuffer((HEADER_WORDS + capacity) * BigInt64Array.BYTES_PER_ELEMENT));
  }

  /** The main loop lives. */
  tick(now: bigint): void {
    Atomics.store(this.words, MAIN_TICK_AT, now);
  }

  get tickedAt(): bigint {
    return Atomics.load(this.words, MAIN_TICK_AT);
  }

  /** Called after {@link markLost} for every loss that the same answer told. */
  prove({ sentAt, covers }: BeatProof): void {
    Atomics.store(this.words, BEAT_SENT_AT, sentAt);
    Atomics.store(this.words, BEAT_COVERS, covers);
  }

  /** Read before {@link isLost}. */
  readProof(): BeatProof {
    const covers = Atomics.load(this.words, BEAT_COVERS);
    return { covers, sentAt: Atomics.load(this.words, BEAT_SENT_AT) };
  }

  /** @param command the last command about the claim when the beat was sent: the next claim in the slot has another */
  markLost(slot: number, command: bigint): void {
    Atomics.store(this.words, HEADER_WORDS + slot, command);
  }

  isLost(slot: number, command: bigint): boolean {
    return Atomics.load(this.words, HEADER_WORDS + slot) === command;
  }
}
