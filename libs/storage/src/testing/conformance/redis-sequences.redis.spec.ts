import { type Finding } from '../../redis/index.js';
import { openRedisHarness } from './redis-harness.js';
import { compareStores } from './compare-stores.js';
import type { Harness } from './harness.js';
import { openMemoryHarness } from './memory-harness.js';

compareStores(
  'memory and Redis, 1 partition',
  () => openMemoryHarness(1),
  () => openAudited(1),
  { sequences: 50 },
);
compareStores(
  'memory and Redis, 16 partitions',
  () => openMemoryHarness(16),
  () => openAudited(16),
  { sequences: 100 },
);

/** A Redis harness whose invariants the auditor proves. */
async function openAudited(partitions: number): Promise<Harness> {
  const harness = await openRedisHarness({ partitions });
  return {
    first: harness.first,
    second: harness.second,
    timePasses: (ms) => harness.timePasses(ms),
    breakRecord: (runId, fault) => harness.breakRecord(runId, fault),
    snapshot: () => harness.snapshot(),
    close: () => harness.close(),
    async checkInvariants() {
      const findings: Finding[] = [];
      await harness.first.auditor.walk({ repair: false }, (finding) => findings.push(finding));
      if (findings.length > 0) {
        throw new Error(`the auditor found ${JSON.stringify(findings)}`);
      }
    },
  };
}
