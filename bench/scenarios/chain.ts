import type { BenchCase, Engine, Measured, Ratio, Row, Rows, Scenario, Settings } from '../harness/scenario.js';
import { WrongResult } from '../harness/scenario.js';
import { expectedLcg } from '../support/lcg-oracle.js';
import { peer } from '../support/peer.js';
import { chainGraph, chainTask, chainWorkflow, nodeId } from '../workflows/chain.js';
import { chainLengths, roundtripCase } from './roundtrip.js';

const TIMEOUT_MS = 180_000;
const TARGET_STEPS = 10_000;
const TARGETS = { code: 1.25, graph: 1.6 };

/**
 * One run in one process: the client submits, a worker beside it claims and executes, and the time is up when the client that
 * waits has read the confirmed result. `code` is a workflow with a loop; `graph` is submitted as data, so its submission carries
 * the nodes. One run of one step went before it. The floor is measured in the same run, in turn with ours.
 */
export const chain: Scenario = {
  name: 'chain',
  about: 'one run of N sequential steps, from submission to confirmed result, against as many bare round trips',
  cases: (settings) =>
    chainLengths(settings).flatMap((steps) => [roundtripCase(steps), codeCase(steps), graphCase(steps), ...peers(steps, settings)]),
  ratios,
};

function codeCase(steps: number): BenchCase {
  return ourCase('code', steps, async ({ complete }, length) => (await complete(chainWorkflow.name, { steps: length })).output);
}

function graphCase(steps: number): BenchCase {
  return ourCase('graph', steps, async ({ completeGraph }, length) => {
    const { output } = await completeGraph(chainGraph(length));
    return (output as Readonly<Record<string, unknown>>)[nodeId(length - 1)];
  });
}

function ourCase(form: 'code' | 'graph', steps: number, run: (engine: Engine, steps: number) => Promise<unknown>): BenchCase {
  return {
    row: { system: 'millrace', form, steps },
    timeoutMs: TIMEOUT_MS,
    async sample(lab) {
      const engine = await lab.engine({ workflows: [chainWorkflow], tasks: [chainTask] });
      // As the floor's connection and script are there before its time starts, so are ours.
      await run(engine, 1);
      const startedAt = performance.now();
      const output = await run(engine, steps);
      const wallMs = performance.now() - startedAt;
      if (output !== expectedLcg('0', steps)) throw new WrongResult(`the run answered ${String(output)}`);
      return { wallMs, stepUs: (wallMs * 1000) / steps };
    },
  };
}

function peers(steps: number, settings: Settings): BenchCase[] {
  if (!settings.peers) return [];
  return ['job', 'chain', 'flow'].map((form) => ({
    row: { system: 'bullmq', form, steps },
    timeoutMs: TIMEOUT_MS,
    async sample(lab): Promise<Measured> {
      const { wallMs = Number.NaN } = await peer(lab, 'chain', { form, steps }, TIMEOUT_MS);
      return { wallMs, stepUs: (wallMs * 1000) / steps };
    },
  }));
}

function ratios(rows: Rows): Ratio[] {
  const wallMs = (row: Row) => rows.median(row, 'wallMs');
  return rows.matching({ form: 'roundtrip' }).flatMap(({ steps = 0 }) => [
    ...(['code', 'graph'] as const).map((form) => ({
      name: `${form} / roundtrip, ${steps} steps`,
      value: wallMs({ system: 'millrace', form, steps }) / wallMs({ form: 'roundtrip', steps }),
      ...(steps === TARGET_STEPS ? { target: { most: TARGETS[form] } } : {}),
    })),
    ...rows.matching({ system: 'bullmq', steps }).map(({ form = '' }) => ({
      name: `code / BullMQ's ${form}, ${steps} steps`,
      value: wallMs({ system: 'millrace', form: 'code', steps }) / wallMs({ system: 'bullmq', form, steps }),
    })),
  ]);
}
