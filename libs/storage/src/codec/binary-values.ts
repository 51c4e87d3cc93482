import { types } from 'node:util';
import { classNameOf } from './kinds.js';

type Bytes = ArrayBuffer | ArrayBufferView;

/** Classes of binary values that keep their class, by name. Elements are little-endian: so is every platform of Node. */
const binaryClasses: ReadonlyMap<string, (bytes: ArrayBuffer) => Bytes> = new Map<string, (bytes: ArrayBuffer) => Bytes>([
  ['ArrayBuffer', (bytes) => bytes],
  ['Buffer', (bytes) => Buffer.from(bytes)],
  ['DataView', (bytes) => new DataView(bytes)],
  ...[
    Uint8Array,
    Uint8ClampedArray,
    Int8Array,
    Uint16Array,
    Int16Array,
    Uint32Array,
    Int32Array,
    Float32Array,
    Float64Array,
    BigUint64Array,
    BigInt64Array,
  ].map((type): [string, (bytes: ArrayBuffer) => Bytes] => [type.name, (bytes) => new type(bytes)]),
]);

export function isBinary(value: object): value is Bytes {
  return ArrayBuffer.isView(value) || types.isArrayBuffer(value);
}

/** Name of the binary class; null for a derived class, which would not come back as it was. */
export function binaryClassOf(value: Bytes): string | null {
  const name = classNameOf(value);
  return binaryClasses.has(name) ? name : null;
}

export function toBase64(value: Bytes): string {
  const view = ArrayBuffer.isView(value) ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : Buffer.from(value);
  return view.toString('base64');
}

/** Characters of {@link toBase64}, known without doing it. */
export function base64Length(value: Bytes): number {
  return Math.ceil(value.byteLength / 3) * 4;
}

/** Null when there is no such class. @throws RangeError when the bytes do not fit its elements */
export function fromBase64(className: string, text: string): Bytes | null {
  const make = binaryClasses.get(className);
  if (make === undefined) return null;
  // A copy with a buffer of its own: a small Buffer lies in a shared pool, unaligned.
  return make(new Uint8Array(Buffer.from(text, 'base64')).buffer);
}
