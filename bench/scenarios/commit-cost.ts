import { RedisStorage } from '@millrace/storage';
import { startAllocationMeter } from '../harness/allocation-meter.js';
import type { BenchCase, Lab, Measured, Ratio, Rows, Scenario, Settings } from '../harness/scenario.js';
import { median } from '../harness/statistics.js';
import { between, readCounters } from '../support/server-counters.js';
import { StoreRecord } from '../support/store-record.js';

const TIMEOUT_MS = 180_000;
const TARGET = { most: 1.1 };
const SMALL = 8;
const LARGE = 100_000;
/** Not counted: the first ones run code that is not compiled yet. */
const WARM_UP = 200;

/**
 * Commits through the store, one after the other: each confirms a result of `payloadBytes` and opens the next step, on a record
 * that holds `entries` confirmed results of that size before and after. `commitUs` is the median of their round trips; `scriptUs`,
 * `bytesIn`, `bytesOut` and `allocatedBytes` (heap of the thread that commits) are a commit's on the average. `pending` is 0:
 * runs have no messages yet.
 */
export const commitCost: Scenario = {
  name: 'commit-cost',
  about: 'one commit on records that hold more and more confirmed entries',
  cases: (settings) =>
    payloads(settings).flatMap((payloadBytes) => entries(settings).map((held) => commitCase(held, payloadBytes, settings))),
  ratios,
};

function payloads({ quick }: Settings): readonly number[] {
  return quick ? [32] : [32, 4096];
}

function entries({ quick }: Settings): readonly number[] {
  return quick ? [SMALL, 1024] : [SMALL, 128, 1024, 10_000, LARGE];
}

function commitCase(held: number, payloadBytes: number, { quick }: Settings): BenchCase {
  return {
    row: { entries: held, pending: 0, payloadBytes },
    timeoutMs: TIMEOUT_MS,
    sample: (lab) => measure(lab, { held, payloadBytes, commits: quick ? 100 : 2000 }),
  };
}

async function measure(
  lab: Lab,
  { held, payloadBytes, commits }: { held: number; payloadBytes: number; commits: number },
): Promise<Measured> {
  const { port, url } = lab.redis;
  const storage = await RedisStorage.open({ url, namespace: 'default' });
  lab.onClose(() => storage.close());
  const record = await StoreRecord.claim(storage, payloadBytes);
  await record.fill(held, (done) => {
    lab.signal.throwIfAborted();
    lab.progress(done, held);
  });
  await timed(record, held, WARM_UP);

  const before = await readCounters(port);
  const stopMeter = startAllocationMeter();
  const times = await timed(record, held, commits);
  const { allocatedBytes } = stopMeter();
  const { bytesIn, bytesOut, scriptUs } = between(before, await readCounters(port));

  await record.check(held);
  return {
    commitUs: median(times),
    scriptUs: scriptUs / commits,
    bytesIn: bytesIn / commits,
    bytesOut: bytesOut / commits,
    allocatedBytes: allocatedBytes / commits,
  };
}

/** Of each commit, µs. */
async function timed(record: StoreRecord, held: number, commits: number): Promise<number[]> {
  const times: number[] = [];
  while (times.length < commits) {
    const startedAt = performance.now();
    await record.confirmLast(held);
    times.push((performance.now() - startedAt) * 1000);
  }
  return times;
}

function ratios(rows: Rows): Ratio[] {
  const figures = { commitUs: 'time', scriptUs: 'time in Redis', bytesIn: 'bytes in', allocatedBytes: 'allocations' };
  return rows.matching({ entries: LARGE }).flatMap(({ payloadBytes = 0 }) =>
    Object.entries(figures).map(([name, shown]) => ({
      name: `commit at ${LARGE} entries / at ${SMALL}, ${payloadBytes} bytes, ${shown}`,
      value: rows.median({ entries: LARGE, payloadBytes }, name) / rows.median({ entries: SMALL, payloadBytes }, name),
      ...(name === 'scriptUs' ? {} : { target: TARGET }),
    })),
  );
}
