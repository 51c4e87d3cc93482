/**
 * The concurrency of a worker process: how many user functions run at once. A slot is taken before an attempt is
 * opened, so what waits here is unopened and costs no attempt. Waiters are served in the order they asked.
 */
export class FunctionSlots {
  private used = 0;
  private readonly waiters: Array<{ grant: () => void }> = [];

  constructor(readonly limit: number) {}

  /** Functions running or about to. */
  get running(): number {
    return this.used;
  }

  /** Requests that wait for a slot. */
  get queued(): number {
    return this.waiters.length;
  }

  /** Takes a free slot at once; false when there is none or others wait already. */
  tryTake(): boolean {
    if (this.used >= this.limit || this.waiters.length > 0) return false;
    this.used += 1;
    return true;
  }

  /**
   * Calls `grant` once, later, when a slot was taken for it. The returned function withdraws the request, unless its slot is on
   * the way already: then `grant` is called all the same and gives the slot back.
   */
  request(grant: () => void): () => void {
    const waiter = { grant };
    this.waiters.push(waiter);
    return () => {
      const at = this.waiters.indexOf(waiter);
      if (at >= 0) this.waiters.splice(at, 1);
    };
  }

  /** Gives a slot back; the first waiter gets it, never within this call: whoever gives back may be in the middle of a change. */
  release(): void {
    const next = this.waiters.shift();
    if (next) queueMicrotask(next.grant);
    else this.used -= 1;
  }
}
