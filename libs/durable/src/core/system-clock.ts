import type { Clock } from '../ports/clock.js';

/** `setTimeout` takes a longer delay for 1 ms. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The clocks and timers of this process. A pending callback keeps the process alive. */
export const systemClock: Clock = {
  monotonic: () => performance.now(),
  wall: () => Date.now(),
  after(ms, callback) {
    const dueAt = performance.now() + ms;
    let timer: NodeJS.Timeout;
    const arm = (): void => {
      const remainingMs = dueAt - performance.now();
      timer = setTimeout(remainingMs > LONGEST_TIMER_MS ? arm : fire, Math.min(Math.ceil(remainingMs), LONGEST_TIMER_MS));
    };
    // Node counts whole milliseconds and may be a fraction early; whoever counts deadlines must never be called before one.
    const fire = (): void => (performance.now() < dueAt ? arm() : callback());
    arm();
    return () => clearTimeout(timer);
  },
};
