import type { Scenario } from '../harness/scenario.js';
import { latency } from './latency.js';
import { recovery } from './recovery.js';
import { reopen } from './reopen.js';
import { bytes } from './bytes.js';
import { chain } from './chain.js';
import { commitCost } from './commit-cost.js';
import { fanout } from './fanout.js';
import { growth } from './growth.js';
import { roundtrip } from './roundtrip.js';
import { submit } from './submit.js';
import { throughput } from './throughput.js';

/** Every scenario, in the order of `--help` and of `all`. */
export const scenarios: readonly Scenario[] = [
  chain,
  roundtrip,
  growth,
  commitCost,
  fanout,
  bytes,
  throughput,
  submit,
  latency,
  recovery,
  reopen,
];
