import { type RunContext, workflow } from '@millrace/durable';

/** Input of the workflow `echo`. */
export interface EchoInput {
  readonly steps: number;
  readonly text: string;
}

/** Sequential steps, each of which answers what it was given: the run's input. So does the run. */
const echo = workflow({ name: 'echo', version: 1 }, async (run: RunContext, input: EchoInput) => {
  let passed = input;
  for (let at = 0; at < input.steps; at++) passed = await run.step('echo', () => passed);
  return passed;
});

export const workflows = [echo];
