import { ClaimLost, StoreUnavailable } from '../core/errors.js';
import type { Clock } from '../ports/clock.js';
import type { ClaimGuard } from './claim-guard.js';

/** Pause between two tries of a call that the store gave up. The store itself tried for seconds before. */
const PAUSE_MS = 100;

/**
 * Repeats a call of a claim's holder with the same arguments while the store gives up and the claim can be alive.
 * @throws ClaimLost when the claim must be taken for dead; whatever else the call throws
 */
export async function untilAnswered<T>(guard: ClaimGuard, clock: Clock, runId: string, call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      if (!guard.isAlive()) throw new ClaimLost(runId, 'the store did not answer before the lease was over', { cause: error });
    }
    await new Promise<void>((resolve) => {
      clock.after(PAUSE_MS, resolve);
    });
  }
}
