import { describe, expect, it } from '@jest/globals';
import { PayloadError } from '@millrace/durable';
import { createPayloadCodec, type PayloadCodecOptions } from './payload-codec.js';

function refusalOf(value: unknown, options?: PayloadCodecOptions): PayloadError {
  try {
    createPayloadCodec(options).encode(value, { what: 'result' });
  } catch (error) {
    if (error instanceof PayloadError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { v: value };
  return value;
}

/** Long base64 text lies outside of the heap. */
function memoryInUse(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

class Order {
  #secret = 1;
  lines = [this.#secret];
}

describe('payload codec: what it refuses', () => {
  const throwing = new Proxy(
    {},
    {
      ownKeys() {
        throw new Error('trap');
      },
    },
  );
  const withGetter = {
    get total(): number {
      throw new Error('not loaded');
    },
  };
  const extended = Object.assign([1], { index: 0 });
  // oxlint-disable-next-line no-sparse-arrays -- the hole is the case
  const sparse = [1, , 3];
  class Stamp extends Date {}
  class Bytes extends Uint8Array {}

  it.each<[string, unknown, string, RegExp]>([
    ['a function', { items: [{}, {}, {}, { when: () => 1 }] }, '$.items[3].when', /is a function; return plain data/],
    ['a symbol', { 'a b': Symbol('s') }, '$["a b"]', /is a symbol/],
    ['a symbol key', { a: { [Symbol('s')]: 1 } }, '$.a', /symbol as key/],
    ['a WeakMap', [new WeakMap()], '$[0]', /instance of WeakMap/],
    ['an instance with private state', { order: new Order() }, '$.order', /instance of Order; return plain data/],
    ['a class derived from Date', new Stamp(0), '$', /instance of Stamp/],
    ['a class derived from Uint8Array', new Bytes(2), '$', /instance of Bytes/],
    ['a boxed number', { n: Object(1) }, '$.n', /instance of Number/],
    ['a promise', { later: Promise.resolve(1) }, '$.later', /is a Promise; is an await missing/],
    ['a Proxy that throws', { proxy: throwing }, '$.proxy', /a getter or Proxy of it threw/],
    ['a getter that throws', { cart: withGetter }, '$.cart.total', /a getter or Proxy of it threw/],
    ['a hole', { list: sparse }, '$.list[1]', /hole of a sparse array/],
    ['an endless sparse array', Object.assign([], { length: 10_000 }), '$[0]', /hole/],
    ['an array with keys of its own', extended, '$', /array with keys of its own/],
    ['a Map with keys of its own', Object.assign(new Map(), { a: 1 }), '$', /Map with keys of its own/],
    ['a method in a Map', new Map([['k', { f() {} }]]), '$<value 0>.f', /is a function/],
    ['a function in a Set', new Set([1, () => 1]), '$<item 1>', /is a function/],
    ['a function on an error', Object.assign(new Error('x'), { retry: () => 1 }), '$.retry', /is a function/],
    ['an own toJSON', { toJSON: () => 1 }, '$.toJSON', /is a function/],
  ])('refuses %s with its path', (_, value, path, message) => {
    const error = refusalOf(value);
    expect(error).toMatchObject({ code: 'payload_unsupported', retryable: false, details: { path } });
    expect(error.message).toMatch(message);
    expect(error.message).toContain(`result cannot be stored: ${path} `);
  });

  it('keeps what a getter threw as the cause', () => {
    expect(refusalOf({ cart: withGetter }).cause).toMatchObject({ message: 'not loaded' });
  });

  it('refuses cycles through objects, maps and causes (B36)', () => {
    const object: { inner: { back?: unknown } } = { inner: {} };
    object.inner.back = object;
    const map = new Map<string, unknown>();
    map.set('self', map);
    const error = new Error('round');
    error.cause = { error };
    expect(refusalOf(object)).toMatchObject({ code: 'payload_circular', details: { path: '$.inner.back' } });
    expect(refusalOf(map)).toMatchObject({ code: 'payload_circular', details: { path: '$<value 0>' } });
    expect(refusalOf(error)).toMatchObject({ code: 'payload_circular', details: { path: '$.cause.error' } });
  });

  it('takes one object in two places as two', () => {
    const shared = { at: new Date(1) };
    const codec = createPayloadCodec();
    expect(codec.decode(codec.encode([shared, shared]))).toEqual([shared, shared]);
  });

  it('counts nesting up to its limit, in both forms', () => {
    const codec = createPayloadCodec();
    expect(codec.decode(codec.encode(nested(64)))).toEqual(nested(64));
    expect(codec.decode(codec.encode([nested(63), 1n]))).toEqual([nested(63), 1n]);
    expect(refusalOf(nested(65)).code).toBe('payload_too_deep');
    expect(refusalOf([nested(64), 1n]).code).toBe('payload_too_deep');
    expect(refusalOf(nested(200_000)).code).toBe('payload_too_deep');
    expect(refusalOf(nested(3), { maxDepth: 2 }).message).toMatch(/nested deeper than 2/);
  });

  it('shortens a long path', () => {
    const key = 'k'.repeat(100_000);
    const { message } = refusalOf({ [key]: { [key]: { [key]: { [key]: { [key]: { [key]: Symbol('s') } } } } } });
    expect(message.length).toBeLessThan(500);
  });
});

describe('payload codec: the size limit', () => {
  it('counts UTF-8 bytes of the stored text, exactly (B39)', () => {
    for (const filler of ['x', 'é', '😀', '"', '\u0000', '\uD83D']) {
      const value = { text: filler.repeat(20) };
      const bytes = Buffer.byteLength(JSON.stringify(value));
      expect(createPayloadCodec({ maxBytes: bytes }).encode(value)).toBe(JSON.stringify(value));
      expect(refusalOf(value, { maxBytes: bytes - 1 })).toMatchObject({ code: 'payload_too_large', details: { maxBytes: bytes - 1 } });
    }
  });

  it('counts the tagged form the same way', () => {
    const value = { text: 'é😀', list: [1n, undefined, new Map([[1, Buffer.alloc(100)]])] };
    const text = createPayloadCodec().encode(value);
    const bytes = Buffer.byteLength(text);
    expect(createPayloadCodec({ maxBytes: bytes }).encode(value)).toBe(text);
    expect(refusalOf(value, { maxBytes: bytes - 1 }).code).toBe('payload_too_large');
  });

  it('says how large and what the limit is', () => {
    expect(refusalOf('é'.repeat(10), { maxBytes: 21 }).message).toBe('result too large (22 > 21 bytes)');
    expect(refusalOf('x'.repeat(100), { maxBytes: 21 }).message).toMatch(/^result too large \(\d+ or more > 21 bytes\)$/);
    expect(refusalOf({ a: [0, 'x'.repeat(100)] }, { maxBytes: 21 }).details).toMatchObject({ path: '$.a[1]' });
  });

  it.each<[string, () => unknown]>([
    ['64 MB of text', () => 'x'.repeat(64 << 20)],
    ['64 MB of bytes', () => ({ buf: Buffer.alloc(64 << 20) })],
    ['a long sparse array', () => Object.assign([], { length: 1_000_000_000 })],
    ['a dense list', () => Array.from({ length: 1 << 20 }, () => 1)],
    [
      'shared parts that double at each level',
      () => {
        let value: unknown = [];
        for (let level = 0; level < 60; level++) value = [value, value];
        return value;
      },
    ],
    [
      'shared special parts that double at each level',
      () => {
        let value: unknown = 1n;
        for (let level = 0; level < 60; level++) value = [value, value];
        return value;
      },
    ],
    ['a large bigint', () => 1n << 8_000_000n],
  ])('gives up %s early', (_, make) => {
    const value = make();
    const before = memoryInUse();
    expect(refusalOf(value).code).toBe('payload_too_large');
    expect(memoryInUse() - before).toBeLessThan(40 << 20);
  });

  it('refuses a large bigint by its hexadecimal digits, before the slow decimal ones are made', () => {
    expect(refusalOf(1n << 8_000_000n).details['bytes']).toBeLessThan(2_000_100);
  });

  it('says when a stored text is of another version or broken', () => {
    const codec = createPayloadCodec();
    expect(() => codec.decode('~2{}')).toThrow(/format "~2" is not known/);
    for (const text of [
      '{bad',
      '',
      '~1',
      '~1{"$":["date"]}',
      '~1{"$":["toString"]}',
      '~1{"$":["error","Nope",{},{}]}',
      '~1{"$":["bytes","Float64Array","AAAA"]}',
    ]) {
      expect(() => codec.decode(text)).toThrow(expect.objectContaining({ code: 'payload_corrupt' }));
    }
  });
});
