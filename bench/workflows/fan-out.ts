import { type RunContext, workflow } from '@millrace/durable';

/** Input of the workflow `fan-out`. */
export interface FanOutInput {
  readonly steps: number;
}

/** Parallel tiny steps, all asked for at once; answers the sum of what they answered: three times their numbers, added up. */
export const fanOutWorkflow = workflow({ name: 'fan-out', version: 1 }, async (run: RunContext, { steps }: FanOutInput) => {
  const outputs = await Promise.all(Array.from({ length: steps }, (_, at) => run.step('tiny', () => 3 * at)));
  return outputs.reduce((sum, output) => sum + output, 0);
});
