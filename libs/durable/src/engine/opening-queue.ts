import type { FunctionSlots } from './function-slots.js';
import type { StepOperation } from './operations.js';

/** Attempts opened by one commit at most. */
const MAX_OPENINGS = 200;

/**
 * Steps of a run whose attempt may be opened, in the order in which they were asked for or fell due, and the slots for them. A
 * step that is taken has a slot; whoever took it puts both back, or gives the slot back when the function has ended.
 */
export class OpeningQueue {
  private readonly steps: StepOperation[] = [];
  private grantedSlots = 0;
  private withdrawRequest: (() => void) | null = null;
  private isShut = false;

  constructor(
    private readonly slots: FunctionSlots,
    /** A slot came: {@link take} again. Never called within a call of this class. */
    private readonly onSlot: () => void,
  ) {}

  get size(): number {
    return this.steps.length;
  }

  add(step: StepOperation): void {
    this.steps.push(step);
  }

  /** What one commit opens: as many as there are slots for. When some are left, a slot is asked for. */
  take(): StepOperation[] {
    const taken: StepOperation[] = [];
    if (this.isShut) return taken;
    while (taken.length < MAX_OPENINGS && this.steps.length > 0 && this.takeSlot()) taken.push(this.steps.shift() as StepOperation);
    if (this.steps.length > 0 && taken.length < MAX_OPENINGS) this.requestSlot();
    return taken;
  }

  /** They were taken and not opened: they come first again, without their slots. */
  putBack(steps: readonly StepOperation[]): void {
    for (const _ of steps) this.slots.release();
    this.steps.unshift(...steps);
  }

  /** The run opens nothing any more: no slot is kept from others. Idempotent. */
  shut(): void {
    this.isShut = true;
    this.steps.length = 0;
    this.withdrawRequest?.();
    this.withdrawRequest = null;
    for (; this.grantedSlots > 0; this.grantedSlots -= 1) this.slots.release();
  }

  private takeSlot(): boolean {
    if (this.grantedSlots === 0) return this.slots.tryTake();
    this.grantedSlots -= 1;
    return true;
  }

  private requestSlot(): void {
    this.withdrawRequest ??= this.slots.request(() => {
      this.withdrawRequest = null;
      if (this.isShut) return this.slots.release();
      this.grantedSlots += 1;
      this.onSlot();
    });
  }
}
