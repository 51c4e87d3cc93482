import { describe, expect, it } from '@jest/globals';
import { nearNames } from './near-names.js';

describe('near names', () => {
  const known = ['fulfil-order', 'fulfil-orders', 'refund-order', 'refund', 'import'];

  it('gives the nearest first, at most as many as asked for', () => {
    expect(nearNames('fullfil-order', known)).toEqual(['fulfil-order', 'fulfil-orders']);
    expect(nearNames('fullfil-order', known, 1)).toEqual(['fulfil-order']);
    expect(nearNames('refnud', known)).toEqual(['refund']);
    expect(nearNames('REFUND', known)).toEqual(['refund']);
  });

  it('gives nothing when nothing is near', () => {
    expect(nearNames('x', known)).toEqual([]);
    expect(nearNames('', known)).toEqual([]);
    expect(nearNames('shipping', known)).toEqual([]);
  });

  it('orders equally near names the same way always', () => {
    expect(nearNames('cat', ['car', 'bat', 'can'])).toEqual(['bat', 'can', 'car']);
  });

  it('counts a swap of neighbours as one edit', () => {
    expect(nearNames('abc', ['acb', 'xyc'])).toEqual(['acb']);
  });

  it('bounds its work on long names', () => {
    expect(nearNames('x'.repeat(100_000), ['x'.repeat(100_001)])).toEqual(['x'.repeat(100_001)]);
  });
});
