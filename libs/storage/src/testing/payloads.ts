import { isDate, isMap, isRegExp, isSet } from 'node:util/types';
import fc from 'fast-check';

const prototypeKeys = fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', '$', 'a b', '0', '');
const texts = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\uD83D', '~1', '\u0000', '\u2028', 'é😀'));

const leaves = fc.oneof(
  fc.constantFrom(undefined, null, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, true, false),
  fc.double(),
  fc.integer(),
  fc.bigInt(),
  texts,
  fc.date({ noInvalidDate: false }),
  fc.uint8Array(),
  fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  fc.uint8Array().map((bytes) => Uint8Array.from(bytes).buffer),
  fc.float64Array(),
  fc.bigInt64Array(),
  fc.constantFrom(/a/g, /[/\\]"\n/iu),
);

/** Every value that the payload codec keeps, nested in each other. */
export const anyPayload: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaves,
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(fc.oneof(prototypeKeys, texts), tie('value'), { maxKeys: 5, noNullPrototype: true }),
    fc.dictionary(fc.oneof(prototypeKeys, texts), tie('value'), { maxKeys: 3, noNullPrototype: false }),
    fc.record({ $: tie('value') }, { noNullPrototype: true }),
    fc.array(fc.tuple(tie('value'), tie('value')), { maxLength: 4 }).map((entries) => new Map(entries)),
    fc.array(tie('value'), { maxLength: 4 }).map((items) => new Set(items)),
    fc
      .tuple(
        fc.constantFrom(Error, TypeError, RangeError),
        fc.string(),
        tie('value'),
        fc.dictionary(fc.constantFrom('code', 'status', 'at'), tie('value')),
      )
      .map(([type, message, cause, fields]) => Object.assign(new type(message, { cause }), fields)),
    fc.array(tie('value'), { maxLength: 3 }).map((errors) => new AggregateError(errors, 'several')),
  ),
})).value;

/** True when both have the same type and value in every part, hidden members of errors included. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  return sameContent(a, b) && sameMembers(a, b);
}

function sameContent(a: object, b: object): boolean {
  if (isDate(a) && isDate(b)) return Object.is(a.getTime(), b.getTime());
  if (isRegExp(a) && isRegExp(b)) return String(a) === String(b) && a.lastIndex === b.lastIndex;
  if (isMap(a) && isMap(b)) return sameValue([...a.entries()], [...b.entries()]);
  if (isSet(a) && isSet(b)) return sameValue([...a], [...b]);
  if (isBytes(a) && isBytes(b)) return bytesOf(a).equals(bytesOf(b));
  return true;
}

/** All own keys, hidden ones too; of binary values only that there are equally many bytes. */
function sameMembers(a: object, b: object): boolean {
  if (isBytes(a)) return true;
  const keys = Reflect.ownKeys(a);
  if (keys.length !== Reflect.ownKeys(b).length) return false;
  return keys.every((key) => {
    const [inA, inB] = [Object.getOwnPropertyDescriptor(a, key), Object.getOwnPropertyDescriptor(b, key)];
    return inA?.enumerable === inB?.enumerable && sameValue(Reflect.get(a, key), Reflect.get(b, key));
  });
}

function isBytes(value: object): value is ArrayBuffer | ArrayBufferView {
  return ArrayBuffer.isView(value) || value instanceof ArrayBuffer;
}

function bytesOf(value: ArrayBuffer | ArrayBufferView): Buffer {
  return ArrayBuffer.isView(value) ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : Buffer.from(value);
}
