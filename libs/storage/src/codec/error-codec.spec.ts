import { describe, expect, it } from '@jest/globals';
import { NonRetryable, StepFailed } from '@millrace/durable';
import fc from 'fast-check';
import { cutText, jsonBytes } from './cut-text.js';
import { decodeError, encodeError } from './error-codec.js';

const stored = (thrown: unknown, maxBytes?: number) =>
  JSON.parse(encodeError(thrown, maxBytes === undefined ? {} : { maxBytes })) as Record<string, unknown> & {
    cause?: Record<string, unknown>;
  };

/** An object of which every read throws. */
const hostile = new Proxy(
  {},
  Object.fromEntries(
    ['get', 'has', 'ownKeys', 'getPrototypeOf', 'getOwnPropertyDescriptor'].map((trap) => [
      trap,
      () => {
        throw new Error(trap);
      },
    ]),
  ),
);

describe('error codec', () => {
  it('keeps name, message, code, details, cause and frames', () => {
    const error = new NonRetryable('card declined', {
      details: { card: 4, reasons: ['limit'] },
      cause: Object.assign(new TypeError('402'), { code: 'E402' }),
    });
    const copy = decodeError(encodeError(error));
    expect(copy).toBeInstanceOf(Error);
    expect(copy).toMatchObject({
      name: 'NonRetryable',
      message: 'card declined',
      code: 'non_retryable',
      details: { card: 4, reasons: ['limit'] },
    });
    expect(copy.cause).toMatchObject({ name: 'TypeError', message: '402', code: 'E402' });
    expect(copy.stack).toMatch(/^NonRetryable: card declined\n {4}at /);
  });

  it('names an error by its class when the class set no name', () => {
    class CardDeclined extends Error {}
    expect(stored(new CardDeclined('no'))).toMatchObject({ name: 'CardDeclined', message: 'no' });
    expect(stored(AbortSignal.abort().reason)).toMatchObject({ name: 'AbortError' });
  });

  it.each<[string, unknown, object]>([
    ['null', null, { name: 'NonError', message: 'thrown: null' }],
    ['undefined', undefined, { name: 'NonError', message: 'thrown: undefined' }],
    ['a string', 'disk full', { name: 'NonError', message: 'disk full' }],
    ['a number', 42, { name: 'NonError', message: 'thrown: 42' }],
    ['a symbol', Symbol('s'), { name: 'NonError', message: 'thrown: Symbol(s)' }],
    ['an object', { status: 500 }, { name: 'NonError', message: 'thrown: { status: 500 }' }],
    ['an object like an error', { message: 'no', code: 'E1' }, { name: 'Error', message: 'no', code: 'E1' }],
    ['a frozen error', Object.freeze(new RangeError('cold')), { name: 'RangeError', message: 'cold' }],
    ['a hostile proxy', hostile, { name: 'NonError' }],
  ])('stores %s that was thrown (B36)', (_, thrown, expected) => {
    expect(stored(thrown)).toMatchObject(expected);
    expect(decodeError(encodeError(thrown))).toMatchObject(expected);
  });

  it('cuts a cycle of causes and leaves out what a getter refuses', () => {
    const [outer, inner] = [new Error('outer'), new Error('inner')];
    outer.cause = inner;
    inner.cause = outer;
    Object.defineProperty(outer, 'details', {
      get() {
        throw new Error('not now');
      },
    });
    expect(stored(outer)).toMatchObject({ message: 'outer', cause: { message: 'inner' } });
    expect(stored(outer)).not.toHaveProperty('details');
    expect(stored(outer).cause).not.toHaveProperty('cause');
  });

  it('still names the original of a 10 MB message, within the limit', () => {
    const error = new StepFailed('charge', 3, new TypeError('é'.repeat(5 << 20)));
    const text = encodeError(error);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2048);
    expect(JSON.parse(text)).toMatchObject({
      name: 'StepFailed',
      code: 'step_failed',
      cause: { name: 'TypeError', message: expect.stringMatching(/^é+…$/) },
    });
  });

  it('drops details that do not fit or are no plain JSON', () => {
    const withDetails = (details: unknown) => Object.assign(new Error('x'), { details });
    expect(stored(withDetails({ big: 'x'.repeat(5000) }))).not.toHaveProperty('details');
    expect(stored(withDetails({ when: new Date(0) }))).not.toHaveProperty('details');
    expect(stored(withDetails({}))).not.toHaveProperty('details');
    expect(stored(withDetails({ ok: 1 }))).toHaveProperty('details', { ok: 1 });
  });

  it('reads a broken text as an error that says so', () => {
    for (const text of ['', '{bad', 'null', '[]', '{"name":1,"message":"x"}']) {
      expect(decodeError(text)).toMatchObject({ name: 'UnreadableError', code: 'payload_corrupt' });
    }
  });

  it('never throws, never exceeds the limit, and is read back with its name', () => {
    const thrown = fc.oneof(
      fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true, withSparseArray: true }),
      fc
        .tuple(fc.string({ unit: 'binary', maxLength: 5000 }), fc.anything(), fc.anything(), fc.anything())
        .map(([message, code, details, cause]) => Object.assign(new Error(message, { cause }), { code, details })),
      fc
        .array(fc.string({ unit: 'binary', maxLength: 300 }), { minLength: 1, maxLength: 15 })
        .map((messages) => messages.reduce<unknown>((cause, message) => new Error(message, { cause }), hostile)),
      fc.record({ name: fc.anything(), message: fc.anything(), stack: fc.anything(), cause: fc.anything() }),
    );
    fc.assert(
      fc.property(thrown, fc.integer({ min: 256, max: 5000 }), (value, maxBytes) => {
        const text = encodeError(value, { maxBytes });
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBytes);
        expect(decodeError(text).name).toBe((JSON.parse(text) as { name: string }).name);
        expect(decodeError(text).name).not.toBe('UnreadableError');
      }),
      { numRuns: 500 },
    );
  });
});

describe('cutText', () => {
  it('keeps as many pairs as fit, whatever the limit', () => {
    for (let maxBytes = 3; maxBytes < 100; maxBytes++)
      expect(cutText('😀'.repeat(30), maxBytes)).toBe(`${'😀'.repeat((maxBytes - 3) >> 2)}…`);
  });

  it('keeps the longest beginning that fits and never half a pair', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('x', 'é', '😀', '"', '\n'), maxLength: 200 }),
        fc.integer({ min: 3, max: 300 }),
        (text, maxBytes) => {
          const cut = cutText(text, maxBytes);
          expect(jsonBytes(cut)).toBeLessThanOrEqual(maxBytes);
          if (jsonBytes(text) <= maxBytes) {
            expect(cut).toBe(text);
            return;
          }
          const kept = cut.slice(0, -1);
          expect(text.startsWith(kept) && cut.endsWith('…') && !/\p{Surrogate}/u.test(cut)).toBe(true);
          const oneMore = kept + String.fromCodePoint(text.codePointAt(kept.length) ?? 0);
          expect(jsonBytes(oneMore)).toBeGreaterThan(maxBytes - 3);
        },
      ),
    );
  });
});
