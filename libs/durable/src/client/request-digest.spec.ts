import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { requestDigest } from './request-digest.js';

const digest = (input: unknown, changes: Partial<Parameters<typeof requestDigest>[0]> = {}) =>
  requestDigest({ workflow: 'w', version: 1, queue: 'q', input, inputText: JSON.stringify(input), ...changes });

/** The same data with the keys of every object the other way round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

describe('requestDigest', () => {
  it('does not see the order of keys, and sees every other difference of JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), fc.jsonValue(), (one, other) => {
        expect(digest(reversed(one))).toBe(digest(one));
        const isSame = JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
        expect(digest(one) === digest(other)).toBe(isSame);
      }),
    );
  });

  it.each([
    [[], {}],
    [[[]], [{}]],
    [[['a', 1]], { a: 1 }],
    [null, 'null'],
    [0, '0'],
    ['', []],
  ])('tells %j from %j', (one, other) => {
    expect(digest(one)).not.toBe(digest(other));
  });

  it('sees workflow, version and queue, and whether they were written at all', () => {
    const variants = [{}, { workflow: 'v' }, { version: 2 }, { version: null }, { queue: 'other' }, { queue: null }, { workflow: 'w","x' }];
    expect(new Set(variants.map((changes) => digest(null, changes))).size).toBe(variants.length);
  });

  it('takes values that are no JSON by their stored text', () => {
    const at = (ms: number) => digest({ at: new Date(ms) }, { inputText: `~1{"at":{"$":["date",${ms}]}}` });
    expect(at(1)).toBe(at(1));
    expect(at(1)).not.toBe(at(2));
  });

  it('does not change: repetitions of stored runs must be known for ever', () => {
    expect(digest({ b: [1, null], a: 'é' })).toBe('qONNISh0nXQClJ9nSLguzdP_umF8no0OBRf3KHnINsg');
  });
});

/** A value's data without the order of keys; lists and objects stay apart, the empty ones too. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return { list: value.map(sorted) };
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([key, member]) => [key, sorted(member)] as const);
  return { members: members.sort(([a], [b]) => (a < b ? -1 : 1)) };
}
