import type { RedisStorage } from '@millrace/storage';
import { waitUntil } from '@millrace/storage/testing';
import { type Lab, WrongResult } from '../harness/scenario.js';

const POLL_MS = 50;

/** What a wait for many runs waits for. */
export interface Drain {
  readonly storage: RedisStorage;
  readonly workflow: string;
  readonly runs: number;
}

/**
 * Looks at the counters of the workflow until that many runs are completed, or the sample is stopped.
 * @throws WrongResult when one of them ended in another way
 */
export async function untilCompleted(lab: Lab, { storage, workflow, runs }: Drain): Promise<void> {
  await waitUntil({ name: `${runs} completed runs of ${workflow}`, limitMs: Number.POSITIVE_INFINITY, pollMs: POLL_MS }, async () => {
    lab.signal.throwIfAborted();
    const counts = (await storage.inspector.counts()).filter((each) => each.workflow === workflow);
    const of = (wanted: string) => counts.find(({ status }) => status === wanted)?.count ?? 0;
    const wrong = of('failed') + of('cancelled') + of('set-aside');
    if (wrong > 0) throw new WrongResult(`${wrong} runs of ${workflow} ended without a result`);
    lab.progress(of('completed'), runs);
    return of('completed') === runs;
  });
}
