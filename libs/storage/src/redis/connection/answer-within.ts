import type { Clock } from '@millrace/durable';
import { TimedOut } from './failures.js';

/** The answer, unless it takes longer: then rejects with {@link TimedOut}, and what comes later is dropped. */
export function answerWithin<Answer>(clock: Clock, limitMs: number, answer: Promise<Answer>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(limitMs, () => reject(new TimedOut(`no answer in ${Math.round(limitMs)} ms`)));
    // Settled in both cases, so the chain behind it cannot be rejected.
    void answer.then(resolve, reject).finally(cancel);
  });
}
