import { type Graph, graph, type RunContext, task, workflow } from '@millrace/durable';

/** Sequential steps, as code and as a graph, each one step of a linear congruential generator on 1 + the output before. */

/** Input of the workflow `chain`. */
export interface ChainInput {
  readonly steps: number;
}

const MULTIPLIER = 6_364_136_223_846_793_005n;
const INCREMENT = 1_442_695_040_888_963_407n;

/** 64 bits, decimal. */
export function nextLcg(x: string): string {
  return BigInt.asUintN(64, (BigInt(x) + 1n) * MULTIPLIER + INCREMENT).toString();
}

/** Answers the last output. */
export const chainWorkflow = workflow({ name: 'chain', version: 1 }, async (run: RunContext, { steps }: ChainInput) => {
  let x = '0';
  for (let at = 0; at < steps; at++) x = await run.step('lcg', () => nextLcg(x));
  return x;
});

/** What every node of the graph runs: on its one predecessor's output, or on 0. */
export const chainTask = task({ name: 'lcg' }, ({ outputs }) => nextLcg((Object.values(outputs)[0] as string | undefined) ?? '0'));

/** The same steps as data. The output of its run is that of the last node, by its id. */
export function chainGraph(steps: number): Graph {
  const builder = graph('chain');
  for (let at = 0; at < steps; at++) builder.node(nodeId(at), chainTask, at === 0 ? {} : { after: [nodeId(at - 1)] });
  return builder.build();
}

/** Of the node at this position, from 0. */
export function nodeId(at: number): string {
  return `n${at}`;
}
