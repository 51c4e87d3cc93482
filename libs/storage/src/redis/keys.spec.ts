import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isIdentifier, runStatuses } from '@millrace/durable';
import { hashSlot } from './crc16.js';
import { indexClasses, indexClassOf, StoreKeys } from './keys.js';

const keys = new StoreKeys('ns', 16);
const identifier = fc
  .string({ unit: fc.constantFrom(...'abzAZ09._:@~+=,-'.split('')), minLength: 1, maxLength: 30 })
  .filter((text) => isIdentifier(text));

describe('StoreKeys', () => {
  it('gives all keys of a run one hash slot', () => {
    fc.assert(
      fc.property(identifier, identifier, identifier, (runId, queue, workflow) => {
        const slots = keys.ofRun(runId, { queue, workflow, version: 1 }, 'failed').map(hashSlot);
        expect(new Set(slots).size).toBe(1);
      }),
    );
  });

  it('parses what it built', () => {
    fc.assert(
      fc.property(identifier, identifier, fc.constantFrom(...indexClasses), (runId, workflow, indexClass) => {
        const partition = keys.partitionOf(runId);
        expect(keys.parse(keys.run(runId))).toEqual({ kind: 'run', partition, runId });
        expect(keys.parse(keys.index(partition, workflow, indexClass))).toEqual({ kind: 'index', partition, workflow, indexClass });
        expect(keys.parse(keys.ready(partition, `q|${workflow}|1`))).toEqual({ kind: 'ready', partition, lane: `q|${workflow}|1` });
      }),
    );
    for (const key of [
      keys.meta,
      keys.workers,
      keys.workersExpiry,
      keys.workflows,
      keys.leases(3),
      keys.timers(3),
      keys.events(3),
      keys.names(3),
      keys.probe(3),
    ]) {
      const parsed = keys.parse(key);
      expect(`${keys.prefix(parsed?.partition ?? -1)}${parsed?.kind}`).toBe(key);
    }
  });

  it.each(['{other:0}:leases', '{ns:16}:leases', '{ns:0}:unheard-of', '{ns:0}:idx:a|running', '{ns:0}:idx:active', 'leases', '{ns:0}:'])(
    'does not take %s for its own',
    (key) => {
      expect(keys.parse(key)).toBeNull();
    },
  );

  it('spreads runs over the partitions', () => {
    const used = new Set(Array.from({ length: 200 }, (_, n) => keys.partitionOf(`run-${n}`)));
    expect(used.size).toBe(16);
  });

  it('has an index for every status', () => {
    expect([...new Set(runStatuses.map(indexClassOf))].sort()).toEqual([...indexClasses].sort());
  });
});
