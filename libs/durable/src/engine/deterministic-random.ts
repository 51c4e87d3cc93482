import { createHash } from 'node:crypto';

/**
 * Randomness that is the same on every replay: the n-th value of a run is SHA-256(seed, n). Not for secrets: whoever
 * knows the run id and its creation time can compute it.
 */
export class DeterministicRandom {
  private calls = 0;

  constructor(private readonly seed: string) {}

  /** Uniform in [0, 1): the first 53 bits. */
  fraction(): number {
    return Number(this.next().readBigUInt64BE(0) >> 11n) / 2 ** 53;
  }

  /** A version 4 UUID (RFC 9562 §5.4). */
  uuid(): string {
    const bytes = this.next().subarray(0, 16);
    bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
    bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
    return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }

  private next(): Buffer {
    this.calls += 1;
    return createHash('sha256').update(`${this.seed}/${this.calls}`).digest();
  }
}
