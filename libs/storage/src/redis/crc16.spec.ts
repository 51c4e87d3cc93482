import { describe, expect, it } from '@jest/globals';
import { crc16, hashSlot } from './crc16.js';

describe('crc16', () => {
  it('is CRC-16/XMODEM: the test vector of the function', () => {
    expect(crc16('123456789')).toBe(0x31c3);
    expect(crc16('')).toBe(0);
  });
});

describe('hashSlot', () => {
  it.each([
    ['foo', 12_182],
    ['bar', 5_061],
    ['{foo}:anything', 12_182],
    ['before{foo}after{bar}', 12_182],
  ])('of %s is %i, as CLUSTER KEYSLOT answers', (key, slot) => {
    expect(hashSlot(key)).toBe(slot);
  });

  it('takes the whole key when the braces are empty or open', () => {
    expect(hashSlot('{}foo')).not.toBe(hashSlot('foo'));
    expect(hashSlot('{foo')).not.toBe(hashSlot('foo'));
  });
});
