import { FakeClock, fixedRandomness } from '@millrace/durable/testing';
import { MemoryStorage } from '../../memory/index.js';
import type { Harness } from './harness.js';

/** Two clients of one memory store, whose time is a fake clock's. */
export interface MemoryHarness extends Harness {
  readonly first: MemoryStorage;
  readonly second: MemoryStorage;
  readonly clock: FakeClock;
}

export async function openMemoryHarness(partitions: number): Promise<MemoryHarness> {
  const clock = new FakeClock();
  const first = await MemoryStorage.open({ partitions, clock, random: fixedRandomness() });
  const second = await first.connect();
  return {
    first,
    second,
    clock,
    timePasses: (ms) => clock.advanceInTurns(ms),
    async breakRecord(runId, fault) {
      first.server.breakRecord(runId, fault);
    },
    async snapshot() {
      const snapshot = first.snapshot();
      return async () => first.restore(snapshot);
    },
    checkInvariants: () => first.checkInvariants(),
    async close() {
      await Promise.all([first.close(), second.close()]);
    },
  };
}
