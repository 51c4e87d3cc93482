import type { DeliveredActivation, LaneReader } from '../../ports/run-store.js';

/** A lane that a test fills. What was read is delivered; nothing is delivered twice but by `reclaim`. */
export class FakeLaneReader implements LaneReader {
  readonly entries: DeliveredActivation[] = [];
  readonly forgotten: DeliveredActivation[] = [];
  readonly calls: string[] = [];
  isClosed = false;
  /** Thrown by the next calls, one each. */
  readonly failures: Error[] = [];
  private wake: () => void = () => undefined;

  push(...entries: DeliveredActivation[]): void {
    this.entries.push(...entries);
    this.wake();
  }

  async read(max: number): Promise<DeliveredActivation[]> {
    this.note(`read ${max}`);
    return this.entries.splice(0, max);
  }

  async wait(timeoutMs: number, signal: AbortSignal): Promise<DeliveredActivation[]> {
    this.note(`wait ${timeoutMs}`);
    if (this.entries.length === 0 && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
    return signal.aborted ? [] : this.entries.splice(0, 1);
  }

  async reclaim(idleMs: number, max: number): Promise<DeliveredActivation[]> {
    this.note(`reclaim ${idleMs} ${max}`);
    return this.forgotten.splice(0, max);
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }

  private note(call: string): void {
    this.calls.push(call);
    const failure = this.failures.shift();
    if (failure !== undefined) throw failure;
  }
}
