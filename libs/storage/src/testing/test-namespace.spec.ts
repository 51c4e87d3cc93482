import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { testNamespace } from './test-namespace.js';

describe('testNamespace', () => {
  it('is a valid namespace whatever the label is', () => {
    fc.assert(
      fc.property(fc.string(), (label) => {
        expect(testNamespace(label)).toMatch(/^[a-z0-9-]{18,40}$/);
      }),
    );
  });

  it('shows the label and never repeats', () => {
    const names = Array.from({ length: 1_000 }, () => testNamespace('Park & wake'));
    expect(names[0]).toMatch(/^park-wake-[0-9a-f]{16}$/);
    expect(new Set(names).size).toBe(1_000);
  });
});
