import { setTimeout as delay } from 'node:timers/promises';

/** What a wait waits for, and how long. */
export interface WaitLimit {
  /** Named in the error when the limit is reached. */
  readonly name: string;
  /** @defaultValue 10_000 */
  readonly limitMs?: number;
  /** Pause between two probes. @defaultValue 20 */
  readonly pollMs?: number;
}

/**
 * Probes until the probe answers something other than `undefined` or `false`, and answers that.
 *
 * @throws Error naming the wait when the limit is reached; whatever the probe throws goes through at once.
 */
export async function waitUntil<T>(wait: WaitLimit, probe: () => Promise<T | undefined | false> | T | undefined | false): Promise<T> {
  const limitMs = wait.limitMs ?? 10_000;
  const startedAt = performance.now();
  for (;;) {
    const answer = await probe();
    if (answer !== undefined && answer !== false) {
      return answer;
    }
    if (performance.now() - startedAt >= limitMs) {
      throw new Error(`waited ${limitMs} ms for ${wait.name}`);
    }
    await delay(wait.pollMs ?? 20);
  }
}
