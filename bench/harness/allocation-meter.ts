import { GCProfiler, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What this thread put on the heap of V8 while a meter ran. */
export interface Allocations {
  /** All that was allocated, collected since or not. */
  readonly allocatedBytes: number;
  /** The most that was on the heap at once, beyond what was there at the start. */
  readonly peakBytes: number;
}

/**
 * Counts what is allocated from now on: the heap just before each collection against the heap just after the one before it. Counted
 * is the heap of this thread's isolate, with everything that runs in it; not counted are other threads and memory outside of the heap,
 * such as the bytes of buffers. The heap is collected first, so that the peak is that of what follows.
 */
export function startAllocationMeter(): () => Allocations {
  collectGarbage();
  const profiler = new GCProfiler();
  profiler.start();
  const startBytes = heapUsed();
  return () => {
    const endBytes = heapUsed();
    const collections = profiler.stop().statistics.map(({ beforeGC, afterGC }) => ({
      before: beforeGC.heapStatistics.usedHeapSize,
      after: afterGC.heapStatistics.usedHeapSize,
    }));
    let allocatedBytes = 0;
    let left = startBytes;
    for (const { before, after } of collections) {
      allocatedBytes += before - left;
      left = after;
    }
    const peak = Math.max(endBytes, ...collections.map(({ before }) => before));
    return { allocatedBytes: allocatedBytes + endBytes - left, peakBytes: peak - startBytes };
  };
}

function heapUsed(): number {
  return process.memoryUsage().heapUsed;
}

/** Node has the function only behind a flag; the flag counts for contexts made after it was set. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
