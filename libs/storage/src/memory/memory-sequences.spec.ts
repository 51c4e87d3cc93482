import { compareStores, sequencesReachEveryBranch } from '../testing/conformance/compare-stores.js';
import { openMemoryHarness } from '../testing/conformance/memory-harness.js';

// The invariants are checked after every sequence, and nothing that a client sees may depend on the number of partitions.
compareStores(
  'memory stores with 1 and with 16 partitions',
  () => openMemoryHarness(1),
  () => openMemoryHarness(16),
  { sequences: 200 },
);
sequencesReachEveryBranch(() => openMemoryHarness(16));
