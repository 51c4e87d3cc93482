import { openMemoryHarness } from '../testing/conformance/memory-harness.js';
import { runStoreConformance } from '../testing/conformance/run-store-conformance.js';

runStoreConformance('memory store, 1 partition', () => openMemoryHarness(1));
runStoreConformance('memory store, 16 partitions', () => openMemoryHarness(16));
