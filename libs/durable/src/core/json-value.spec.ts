import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson, jsonFault } from './json-value.js';

describe('plain JSON', () => {
  it('has no fault, and its canonical text reads back as it was', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        const value: unknown = JSON.parse(text);
        expect(jsonFault(value)).toBeNull();
        expect(JSON.stringify(JSON.parse(canonicalJson(value)))).toBe(JSON.stringify(JSON.parse(canonicalJson(structuredClone(value)))));
        expect(canonicalJson(JSON.parse(canonicalJson(value)))).toBe(canonicalJson(value));
      }),
    );
  });

  it('is canonical in the order of keys alone', () => {
    expect(canonicalJson({ b: [2, 1], a: { d: null, c: 'x' } })).toBe('{"a":{"c":"x","d":null},"b":[2,1]}');
    expect(canonicalJson(JSON.parse('{"b":1,"__proto__":{"x":1}}'))).toBe('{"__proto__":{"x":1},"b":1}');
  });

  it('is told from what JSON would lose', () => {
    expect(jsonFault({ a: [1, { at: new Date(0) }] }, 'input')).toBe('input.a[1].at is a Date');
    expect(jsonFault({ n: Number.NaN }, 'input')).toBe('input.n is NaN');
    expect(jsonFault([undefined], 'input')).toBe('input[0] is undefined');
    expect(jsonFault(1n, 'input')).toBe('input is a bigint');
    expect(jsonFault({ f: () => 1 }, 'input')).toBe('input.f is a function');
    expect(jsonFault(structuredClone({ a: [] }), 'input')).toBeNull();
  });

  it('ends on a value that contains itself', () => {
    const value: unknown[] = [];
    value.push(value);
    expect(jsonFault(value, 'input')).toMatch(/is nested deeper than 64$/);
  });
});
