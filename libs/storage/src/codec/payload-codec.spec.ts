import { describe, expect, it } from '@jest/globals';
import { PayloadError } from '@millrace/durable';
import fc from 'fast-check';
import { anyPayload, sameValue } from '../testing/payloads.js';
import { createPayloadCodec } from './payload-codec.js';

const codec = createPayloadCodec();
const roundTrip = (value: unknown): unknown => codec.decode(codec.encode(value));

describe('payload codec: plain JSON', () => {
  it('writes plain JSON as its JSON text and reads JSON text as JSON', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 8 }), (text) => {
        const value: unknown = JSON.parse(text);
        fc.pre(!text.includes('-0'));
        expect(codec.encode(value)).toBe(JSON.stringify(value));
        expect(codec.decode(text)).toEqual(value);
      }),
    );
  });

  it('keeps what a Lua JSON round trip would bend (B37)', () => {
    const value: unknown = JSON.parse(
      '{"a":[],"o":{},"n":9007199254740991,"id":"9007199254740993","f":1e21,"s":"\\u0000é😀","deep":[[],[[]]]}',
    );
    expect(codec.encode(value)).toBe(JSON.stringify(value));
    expect(roundTrip(value)).toEqual(value);
  });

  it('keeps a lone surrogate in text that is valid UTF-8', () => {
    const text = codec.encode({ half: '\uD83D', '\uDE00': 1 });
    expect(Buffer.from(text, 'utf8').toString('utf8')).toBe(text);
    expect(roundTrip({ half: '\uD83D', '\uDE00': 1 })).toEqual({ half: '\uD83D', '\uDE00': 1 });
  });

  it('does not take an object that looks like a tag for one, neither as JSON nor beside a special value', () => {
    const lookalikes: unknown[] = [{ $: ['date', 0] }, { $: 1 }, { $: { $: [] } }, { $: ['plain', { $: 1 }], b: 1 }];
    for (const value of lookalikes) {
      expect(codec.encode(value)).toBe(JSON.stringify(value));
      expect(roundTrip(value)).toEqual(value);
      expect(roundTrip([value, undefined])).toEqual([value, undefined]);
      expect(roundTrip({ $: [value, 1n] })).toEqual({ $: [value, 1n] });
    }
    expect(roundTrip('~1{"$":["undefined"]}')).toBe('~1{"$":["undefined"]}');
  });

  it('keeps prototype keys as own keys and pollutes nothing (B40)', () => {
    const hostile = '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"x":1}},"toString":"ACME","hasOwnProperty":1}';
    const value = JSON.parse(hostile) as Record<string, unknown>;
    expect(codec.encode(value)).toBe(hostile);
    const copy = roundTrip({ value, at: new Date(0) }) as { value: Record<string, unknown> };
    expect(JSON.stringify(copy.value)).toBe(hostile);
    expect(Object.getPrototypeOf(copy.value)).toBe(Object.prototype);
    expect(Reflect.get({}, 'isAdmin')).toBeUndefined();
    expect(Reflect.get({}, 'x')).toBeUndefined();
  });
});

describe('payload codec: special values', () => {
  it('keeps type and value of everything that B33 names', () => {
    const value = {
      d: new Date(0),
      m: new Map([[1, 2]]),
      s: new Set([1]),
      b: 10n,
      u: undefined,
      n: Number.NaN,
      z: -0,
      buf: Buffer.from([0, 255]),
    };
    const copy = roundTrip(value) as typeof value;
    expect(copy).toEqual(value);
    expect(Object.keys(copy)).toEqual(Object.keys(value));
    expect(Object.is(copy.z, -0)).toBe(true);
    expect(copy.d).toBeInstanceOf(Date);
    expect(copy.m).toBeInstanceOf(Map);
    expect(Buffer.isBuffer(copy.buf)).toBe(true);
  });

  it('keeps an undefined, a NaN and a date at the top', () => {
    expect(codec.encode(undefined)).toBe('~1{"$":["undefined"]}');
    expect(roundTrip(undefined)).toBeUndefined();
    expect(roundTrip(Number.NaN)).toBeNaN();
    expect(roundTrip(Number.NEGATIVE_INFINITY)).toBe(Number.NEGATIVE_INFINITY);
    expect(sameValue(roundTrip(new Date(Number.NaN)), new Date(Number.NaN))).toBe(true);
  });

  it('gives back each binary class as it was, in at most 1.4 times its bytes', () => {
    const bytes = Uint8Array.from({ length: 4096 }, (_, index) => (index * 131) % 256);
    const views = [
      bytes,
      Buffer.from(bytes),
      bytes.buffer,
      new Uint8ClampedArray(bytes.buffer),
      new Int16Array(bytes.buffer, 2, 100),
      new Float32Array([1.5, -0, Number.NaN]),
      new Float64Array([Number.MAX_VALUE]),
      new BigInt64Array([-1n]),
      new DataView(bytes.buffer, 3, 5),
      new Uint8Array(),
    ];
    for (const view of views) {
      const copy = roundTrip(view) as typeof view;
      expect(sameValue(copy, view)).toBe(true);
      expect(Object.getPrototypeOf(copy)).toBe(Object.getPrototypeOf(view));
    }
    expect(codec.encode({ buf: Buffer.from(bytes) }).length).toBeLessThan(1.4 * bytes.length);
  });

  it('keeps a regular expression and where it stands', () => {
    const pattern = /a\/"b/gi;
    pattern.lastIndex = 3;
    const copy = roundTrip(pattern) as RegExp;
    expect([copy.source, copy.flags, copy.lastIndex]).toEqual([pattern.source, 'gi', 3]);
  });

  it('keeps an error with its cause, fields and stack', () => {
    const error = Object.assign(new RangeError('outside', { cause: new TypeError('inside') }), { code: 'E_RANGE', at: new Date(5) });
    const copy = roundTrip(error) as typeof error;
    expect(copy).toBeInstanceOf(RangeError);
    expect(copy).toMatchObject({ message: 'outside', code: 'E_RANGE', at: new Date(5), stack: error.stack });
    expect(copy.cause).toBeInstanceOf(TypeError);
    expect(Object.keys(copy)).toEqual(['code', 'at']);
  });

  it('keeps the errors of an AggregateError and the name of a class of one’s own', () => {
    class CardDeclined extends TypeError {
      override readonly name = 'CardDeclined';
      readonly card = 4;
    }
    const copy = roundTrip(new AggregateError([new CardDeclined('no'), 7], 'all')) as AggregateError;
    expect(copy).toBeInstanceOf(AggregateError);
    expect(copy.errors[0]).toBeInstanceOf(TypeError);
    expect(copy.errors[0]).toMatchObject({ name: 'CardDeclined', message: 'no', card: 4 });
    expect(copy.errors[1]).toBe(7);
  });

  it('keeps the name and message of an error that has them from its class only', () => {
    const aborted = AbortSignal.abort().reason as Error;
    expect(roundTrip(aborted)).toMatchObject({ name: 'AbortError', message: aborted.message });
  });

  it('keeps an object without a prototype', () => {
    const bare = Object.assign(Object.create(null) as Record<string, unknown>, { toString: 1, $: 2 });
    const copy = roundTrip({ bare }) as { bare: object };
    expect(Object.getPrototypeOf(copy.bare)).toBeNull();
    expect(copy.bare).toEqual(bare);
  });

  it('takes plain objects of another realm', () => {
    expect(codec.encode(structuredClone({ a: [1] }))).toBe('{"a":[1]}');
    expect(roundTrip(structuredClone({ a: new Map([[1, new Date(3)]]) }))).toEqual({ a: new Map([[1, new Date(3)]]) });
  });
});

describe('payload codec: properties', () => {
  it('gives back the same types and values, whatever is nested in what', () => {
    fc.assert(
      fc.property(anyPayload, (value) => sameValue(roundTrip(value), value)),
      { numRuns: 500 },
    );
  });

  it('writes equal values that were built the same way as equal bytes, also after a round trip', () => {
    fc.assert(
      fc.property(anyPayload, (value) => {
        expect(codec.encode(roundTrip(value))).toBe(codec.encode(value));
      }),
    );
  });

  it('writes text without lone surrogates', () => {
    fc.assert(fc.property(anyPayload, (value) => Buffer.from(codec.encode(value)).toString() === codec.encode(value)));
  });

  it('refuses or keeps, and never throws anything but a PayloadError', () => {
    fc.assert(
      fc.property(
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withSet: true,
          withNullPrototype: true,
          withSparseArray: true,
          withTypedArray: true,
          withObjectString: true,
          withBoxedValues: true,
          withUnicodeString: true,
        }),
        (value) => {
          let text: string;
          try {
            text = codec.encode(value);
          } catch (error) {
            return error instanceof PayloadError;
          }
          return sameValue(codec.decode(text), value);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('reads back or refuses with payload_corrupt any text whatever', () => {
    const texts = fc.oneof(
      fc.string(),
      fc.json(),
      fc.json().map((text) => `~1${text}`),
      fc.json().map((text) => `~1{"$":${text}}`),
      fc.string().map((text) => `~${text}`),
    );
    fc.assert(
      fc.property(texts, (text) => {
        try {
          codec.decode(text);
          return true;
        } catch (error) {
          return error instanceof PayloadError && error.code === 'payload_corrupt';
        }
      }),
    );
  });
});
