import { type RunContext, workflow, type WorkflowDefinition } from '@millrace/durable';
import { nextLcg } from './chain.js';

/** Input of the workflow `growth`. */
export interface GrowthInput {
  readonly steps: number;
}

/** Digits of a result, so that it takes 24 bytes as JSON. */
const RESULT_DIGITS = 22;

/**
 * The tiny steps of the cost model: names of 8 characters, results of 24 bytes. Each is a step of the generator, and `observe` is
 * called first in it: everything before that step is confirmed then, and nothing is under way.
 */
export function growthWorkflow(observe: (step: number) => Promise<void> | void): WorkflowDefinition<GrowthInput, string> {
  return workflow({ name: 'growth', version: 1 }, async (run: RunContext, { steps }: GrowthInput) => {
    let x = '0'.padStart(RESULT_DIGITS, '0');
    for (let at = 0; at < steps; at++) {
      x = await run.step('step-lcg', async () => {
        await observe(at);
        return nextLcg(x).padStart(RESULT_DIGITS, '0');
      });
    }
    return x;
  });
}
