import { FunctionSlots } from '../engine/function-slots.js';

/** Function slots that tell when one is given back, so that a full worker need not ask. */
export class WatchedSlots extends FunctionSlots {
  constructor(
    limit: number,
    private readonly onReleased: () => void,
  ) {
    super(limit);
  }

  override release(): void {
    super.release();
    this.onReleased();
  }
}
