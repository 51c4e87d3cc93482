import type { Clock } from '../ports/clock.js';
import type { Announcer } from './announcer.js';
import type { HeldRuns } from './held-runs.js';
import type { Heartbeats } from './heartbeats.js';

/** What the hard deadline adds to the grace period, ms: for handing claims back and saying goodbye. */
const FINISH_MS = 5000;
/** Kept of that for goodbye and closing, and the most that either may take. */
const GOODBYE_MS = 2000;

export interface ShutdownParams {
  readonly held: Pick<HeldRuns, 'size' | 'stop' | 'interrupt' | 'fence' | 'whenEmpty'>;
  /** Stops every loop that claims or pumps; resolves when they are still. */
  readonly stopLoops: () => Promise<unknown>;
  readonly heartbeats: Pick<Heartbeats, 'stop'>;
  readonly announcer: Pick<Announcer, 'sayGoodbye'>;
  /** Stops the rest, after the last claim is gone. */
  readonly close: () => Promise<unknown>;
  readonly clock: Clock;
  readonly graceMs: number;
  /** Aborted: nothing is waited for any more. */
  readonly atOnce: AbortSignal;
}

/**
 * Ends a worker in good order, and within grace + 5 s whatever the store does: nothing new is opened; what was delivered
 * is given back; running functions have the grace period, then their signals are aborted and the claims handed back;
 * heartbeats go on until the last claim is gone; goodbye. Answers whether all of that was done.
 */
export async function shutDown(params: ShutdownParams): Promise<boolean> {
  const { held, heartbeats, announcer, clock, graceMs } = params;
  const startedAt = clock.monotonic();
  const left = (untilMs: number): number => startedAt + untilMs - clock.monotonic();
  held.stop();
  const stillness = params.stopLoops();
  const areLoopsStill = await within(params, Math.min(FINISH_MS, left(graceMs + FINISH_MS - GOODBYE_MS)), stillness);
  if (!(await within(params, left(graceMs), held.whenEmpty()))) {
    held.interrupt();
    await within(params, left(graceMs + FINISH_MS - GOODBYE_MS), held.whenEmpty());
  }
  const isEmpty = held.size === 0;
  // Whoever reads the goodbye may take the claims at once, so nothing may be entered under them any more.
  held.fence('the worker stopped');
  const saidGoodbye = await within(params, Math.min(GOODBYE_MS, left(graceMs + FINISH_MS)), announcer.sayGoodbye());
  const isClosed = await within(params, Math.min(GOODBYE_MS, left(graceMs + FINISH_MS)), Promise.all([heartbeats.stop(), params.close()]));
  return areLoopsStill && isEmpty && saidGoodbye && isClosed;
}

/** True when the promise resolved in time. A rejection counts as not done: the deadline is what matters here. */
function within(params: Readonly<{ clock: Clock; atOnce: AbortSignal }>, ms: number, work: Promise<unknown>): Promise<boolean> {
  const { clock, atOnce } = params;
  return new Promise((resolve) => {
    const end = (isDone: boolean): void => {
      cancel();
      atOnce.removeEventListener('abort', giveUp);
      resolve(isDone);
    };
    const giveUp = (): void => end(false);
    const cancel = clock.after(Math.max(0, ms), giveUp);
    atOnce.addEventListener('abort', giveUp);
    work.then(
      () => end(true),
      () => end(false),
    );
    if (atOnce.aborted) giveUp();
  });
}
