const POLYNOMIAL = 0x1021;

/** Remainders of every byte: each call of the store needs a partition, so the bits are not worked out anew. */
const remainders = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ POLYNOMIAL;
  return crc & 0xffff;
});

/** CRC-16/XMODEM of the UTF-8 bytes: the function that Redis Cluster takes for its hash slots. `123456789` gives 0x31C3. */
export function crc16(text: string): number {
  let crc = 0;
  for (const byte of Buffer.from(text, 'utf8')) crc = ((crc << 8) & 0xffff) ^ (remainders[(crc >> 8) ^ byte] ?? 0);
  return crc;
}

const SLOTS = 16_384;

/** Hash slot of a key in Redis Cluster: of what stands between the first `{` and the next `}`, unless that is empty. */
export function hashSlot(key: string): number {
  const open = key.indexOf('{');
  const close = open < 0 ? -1 : key.indexOf('}', open + 1);
  return crc16(close > open + 1 ? key.slice(open + 1, close) : key) % SLOTS;
}
