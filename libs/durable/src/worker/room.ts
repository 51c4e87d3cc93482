import type { FunctionSlots } from '../engine/function-slots.js';
import type { Clock } from '../ports/clock.js';

/** A held run begins or ceases to wait without anybody telling; while the worker is full it counts anew this often, ms. */
const RECOUNT_MS = 200;

export interface RoomParams {
  readonly claims: number;
  readonly claimBytes: number;
  readonly slots: Pick<FunctionSlots, 'limit' | 'running' | 'queued'>;
  readonly held: { readonly size: number; readonly busy: number; readonly bytes: number };
  readonly clock: Clock;
}

/** How many more runs this worker can start now: it never takes more entries than that. */
export class Room {
  private reserved = 0;
  private readonly waiters = new Set<() => void>();

  constructor(private readonly params: RoomParams) {}

  /** 0 or more. A held run that only waits takes a claim, but no place among the functions. */
  get free(): number {
    const { claims, claimBytes, slots, held } = this.params;
    if (held.bytes >= claimBytes) return 0;
    const demand = Math.max(slots.running + slots.queued, held.busy);
    return Math.max(0, Math.min(claims - held.size, slots.limit - demand) - this.reserved);
  }

  /** Keeps places for entries that are being claimed. The returned function gives them back; idempotent. */
  reserve(count: number): () => void {
    this.reserved += count;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.reserved -= count;
      this.changed();
    };
  }

  /** A slot was freed or a run was dropped: whoever waits looks again. */
  changed(): void {
    const waiting = [...this.waiters];
    this.waiters.clear();
    for (const wake of waiting) wake();
  }

  /** Resolves when there may be room again, or when the signal aborts. Asks nobody but this process. */
  wait(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        this.waiters.delete(wake);
        signal.removeEventListener('abort', wake);
        cancelRecount();
        resolve();
      };
      const cancelRecount = this.params.clock.after(RECOUNT_MS, wake);
      this.waiters.add(wake);
      signal.addEventListener('abort', wake);
    });
  }
}
