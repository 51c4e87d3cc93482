import { setTimeout as delay } from 'node:timers/promises';
import { Problem } from './problem.mjs';

const POLL_MS = 100;

/** Asks until the answer is neither false nor undefined, and answers it. @throws Problem naming the wait when the limit is over */
export async function until(what, limitMs, probe, signal) {
  const deadline = performance.now() + limitMs;
  for (;;) {
    signal?.throwIfAborted();
    const answer = await probe();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() >= deadline) throw new Problem(`waited ${Math.round(limitMs / 1_000)} s for ${what}`);
    await delay(POLL_MS, undefined, { signal });
  }
}
