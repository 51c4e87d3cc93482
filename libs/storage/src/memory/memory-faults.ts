import { type RunStore, StoreUnavailable } from '@millrace/durable';

/** Methods of the write path: what faults are asked for by. */
export type StoreMethod = keyof RunStore;

/**
 * What the store does about a reply that never came. `repeat`: asks again, as a store that gets through does, and answers
 * what the repetition is answered. `throw`: its time is up, the caller is left with `StoreUnavailable`.
 */
export type AfterLoss = 'repeat' | 'throw';

/** A call that was stopped on its way. */
export interface HeldCall {
  /** Resolves when a call has come and is held. */
  readonly reached: Promise<void>;
  /** Lets it go on. Before a call has come: disarms the fault. */
  release(): void;
}

type Fault = (apply: () => unknown) => Promise<unknown>;

/** Faults on demand between one client and the store: each is used up by the next call of its method. */
export class MemoryFaults {
  private readonly armed = new Map<StoreMethod, Fault[]>();
  private isDown = false;

  /** The next call is carried out and its reply is lost. @param then @defaultValue 'repeat' */
  loseReply(method: StoreMethod, then: AfterLoss = 'repeat'): void {
    this.arm(method, async (apply) => {
      apply();
      if (then === 'throw') {
        throw new StoreUnavailable(method);
      }
      await nextTurn();
      return apply();
    });
  }

  /** The next call never reaches the store: it throws `StoreUnavailable` and nothing was applied. */
  refuse(method: StoreMethod): void {
    this.arm(method, () => Promise.reject(new StoreUnavailable(method)));
  }

  /** The next call waits on its way to the store until it is released. */
  hold(method: StoreMethod): HeldCall {
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const reached = new Promise<void>((resolve) => {
      this.arm(method, async (apply) => {
        resolve();
        await released;
        return apply();
      });
    });
    return { reached, release };
  }

  /** From now on every call throws `StoreUnavailable`, nothing applied, until {@link comeBack}. */
  goDown(): void {
    this.isDown = true;
  }

  comeBack(): void {
    this.isDown = false;
  }

  /** Carries a call to the store in an event-loop turn of its own, with the fault that is armed for it. */
  async carry<Answer>(method: StoreMethod, apply: () => Answer): Promise<Answer> {
    await nextTurn();
    if (this.isDown) {
      throw new StoreUnavailable(method);
    }
    const fault = this.armed.get(method)?.shift();
    return fault === undefined ? apply() : ((await fault(apply)) as Answer);
  }

  private arm(method: StoreMethod, fault: Fault): void {
    this.armed.set(method, [...(this.armed.get(method) ?? []), fault]);
  }
}

/** A store answers in a later turn of the event loop, never within the caller's. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
