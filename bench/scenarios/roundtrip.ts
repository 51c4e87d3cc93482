import type { BenchCase, Scenario, Settings } from '../harness/scenario.js';
import { roundTrips } from '../support/round-trips.js';

const TIMEOUT_MS = 120_000;

/** Lengths of a chain that is measured: the floor is measured for the same. */
export function chainLengths({ quick }: Settings): readonly number[] {
  return quick ? [1, 10, 100] : [1, 10, 100, 1000, 10_000];
}

/** The row of the floor for a chain of so many steps. */
export function roundtripCase(steps: number): BenchCase {
  return {
    row: { system: 'redis', form: 'roundtrip', steps },
    timeoutMs: TIMEOUT_MS,
    async sample(lab) {
      const wallMs = await roundTrips(lab, steps);
      return { wallMs, stepUs: (wallMs * 1000) / steps };
    },
  };
}

/** The floor of every step that is confirmed before the next one starts. */
export const roundtrip: Scenario = {
  name: 'roundtrip',
  about: 'one connection, a script that compares two fields and sets two, N times one after the other',
  cases: (settings) => chainLengths(settings).map(roundtripCase),
};
