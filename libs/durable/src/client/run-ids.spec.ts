import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isIdentifier } from '../core/identifiers.js';
import { FakeClock } from '../testing/fake-clock.js';
import { fixedRandomness } from '../testing/fixed-randomness.js';
import { newRunId, runIdOfKey } from './run-ids.js';

describe('newRunId', () => {
  it('gives 26 characters that are an identifier, never the same', () => {
    const clock = new FakeClock();
    const random = fixedRandomness();
    const ids = Array.from({ length: 500 }, () => newRunId(clock, random));
    expect(new Set(ids).size).toBe(500);
    for (const id of ids) {
      expect(id).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
      expect(isIdentifier(id)).toBe(true);
    }
  });

  it('sorts by the time of its making', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 47 }), fc.integer({ min: 1, max: 2 ** 40 }), (wall, laterMs) => {
        const random = fixedRandomness();
        const [early, late] = [new FakeClock({ wall }), new FakeClock({ wall: wall + laterMs })];
        expect(newRunId(early, random) < newRunId(late, random)).toBe(true);
      }),
    );
  });
});

describe('runIdOfKey', () => {
  it('is the same for the same key and namespace and for no other', () => {
    const namespace = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,10}$/);
    const key = fc.string({ minLength: 1 });
    fc.assert(
      fc.property(namespace, key, namespace, key, (namespaceA, keyA, namespaceB, keyB) => {
        const isSame = namespaceA === namespaceB && keyA === keyB;
        expect(runIdOfKey(namespaceA, keyA) === runIdOfKey(namespaceB, keyB)).toBe(isSame);
        expect(runIdOfKey(namespaceA, keyA)).toMatch(/^K[0-9A-HJKMNP-TV-Z]{25}$/);
      }),
    );
  });

  it('does not change: keys of stored runs must find them for ever', () => {
    expect(runIdOfKey('default', 'order-1')).toBe('KW36WGJEHXAKPMH3NX5SC5Q7XJ');
  });
});
