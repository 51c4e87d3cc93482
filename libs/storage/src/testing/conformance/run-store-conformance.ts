import { describe } from '@jest/globals';
import type { OpenHarness } from './harness.js';
import { brokenRecordRules } from './rules/broken-records.js';
import { cancelRules } from './rules/cancel.js';
import { claimRules } from './rules/claim.js';
import { commitRules } from './rules/commit.js';
import { heartbeatRules } from './rules/heartbeat.js';
import { identifierRules } from './rules/identifiers.js';
import { inspectorRules } from './rules/inspector.js';
import { journalRules } from './rules/journal.js';
import { laneRules } from './rules/lanes.js';
import { parkRules } from './rules/park.js';
import { registryRules } from './rules/registry.js';
import { releaseAndEndRules } from './rules/release-and-end.js';
import { renewAndLossRules } from './rules/renew-and-loss.js';
import { submitRules } from './rules/submit.js';
import { takeOverRules } from './rules/take-over.js';

const subjects = [
  submitRules,
  claimRules,
  commitRules,
  parkRules,
  releaseAndEndRules,
  cancelRules,
  renewAndLossRules,
  heartbeatRules,
  takeOverRules,
  laneRules,
  journalRules,
  inspectorRules,
  registryRules,
  identifierRules,
  brokenRecordRules,
];

/**
 * What every store must do, as tests: call it in a spec, once for each way in which the store is run. A test that begins
 * with a name and a colon shows the rule of the protocol's model that has this name.
 *
 * @param open opens an empty namespace; called once a test
 */
export function runStoreConformance(name: string, open: OpenHarness): void {
  describe(`conformance: ${name}`, () => {
    for (const rules of subjects) {
      rules(open);
    }
  });
}
