import type { BenchCase, Measured, Ratio, Rows, Scenario, Settings } from '../harness/scenario.js';
import { WrongResult } from '../harness/scenario.js';
import { peer } from '../support/peer.js';
import { between, readCounters } from '../support/server-counters.js';
import { fanOutWorkflow } from '../workflows/fan-out.js';

const TIMEOUT_MS = 120_000;
const TARGET_STEPS = 1000;
const WARM_UP_STEPS = 10;

/**
 * One run in one process with the defaults of a worker (50 functions at once), from its submission to its confirmed result; one of
 * ten steps went before it. `scriptCalls` and `bytesIn` are all that the server was asked meanwhile.
 */
export const fanout: Scenario = {
  name: 'fanout',
  about: 'one run of parallel tiny steps, joined',
  cases: (settings) => widths(settings).flatMap((steps) => [ourCase(steps), ...(settings.peers ? [flowCase(steps)] : [])]),
  ratios,
};

function widths({ quick }: Settings): readonly number[] {
  return quick ? [100] : [TARGET_STEPS, 10_000];
}

function ourCase(steps: number): BenchCase {
  return {
    row: { system: 'millrace', form: 'code', steps },
    timeoutMs: TIMEOUT_MS,
    async sample(lab): Promise<Measured> {
      const { complete } = await lab.engine({ workflows: [fanOutWorkflow] });
      await complete(fanOutWorkflow.name, { steps: WARM_UP_STEPS });
      const before = await readCounters(lab.redis.port);
      const startedAt = performance.now();
      const { output } = await complete(fanOutWorkflow.name, { steps });
      const wallMs = performance.now() - startedAt;
      const { scriptCalls, bytesIn } = between(before, await readCounters(lab.redis.port));
      const expected = (3 * steps * (steps - 1)) / 2;
      if (output !== expected) throw new WrongResult(`the run answered ${String(output)}, not ${expected}`);
      return { wallMs, stepsPerSecond: (steps * 1000) / wallMs, scriptCalls, bytesIn };
    },
  };
}

/** Nothing but a flow joins children in BullMQ. */
function flowCase(steps: number): BenchCase {
  return {
    row: { system: 'bullmq', form: 'flow', steps },
    timeoutMs: TIMEOUT_MS,
    async sample(lab): Promise<Measured> {
      const { wallMs = Number.NaN } = await peer(lab, 'fanout', { form: 'flow', children: steps }, TIMEOUT_MS);
      return { wallMs, stepsPerSecond: (steps * 1000) / wallMs };
    },
  };
}

function ratios(rows: Rows): Ratio[] {
  return rows.matching({ system: 'bullmq' }).map(({ steps = 0 }) => ({
    name: `wall time of ${steps} steps, to BullMQ's flow`,
    value: rows.median({ system: 'millrace', steps }, 'wallMs') / rows.median({ system: 'bullmq', steps }, 'wallMs'),
    ...(steps === TARGET_STEPS ? { target: { most: 0.4 } } : {}),
  }));
}
