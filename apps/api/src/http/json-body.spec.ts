import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseJsonBody } from './json-body.js';
import { HttpProblem } from './problem.js';

const codeOf = (text: string): string => {
  try {
    parseJsonBody(Buffer.from(text));
    return 'taken';
  } catch (error) {
    if (error instanceof HttpProblem) return error.code;
    throw error;
  }
};

describe('parseJsonBody', () => {
  it('reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 10 }), (text) => {
        fc.pre(!/\d{16}/.test(text));
        expect(parseJsonBody(Buffer.from(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('refuses exactly the whole numbers that do not come back as they were', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
        fc.constantFrom('N', '[N]', '{"a":"9007199254740993","b":N}', '["\\"",N]'),
        (number, shape) => {
          const isSafe = number >= -(2n ** 53n - 1n) && number <= 2n ** 53n - 1n;
          expect(codeOf(shape.replace('N', String(number)))).toBe(isSafe ? 'taken' : 'unsafe_number');
        },
      ),
      { numRuns: 500 },
    );
  });

  it.each([
    ['1e21', 'taken'],
    ['-0', 'taken'],
    ['0.1', 'taken'],
    ['1.0', 'taken'],
    ['1e999', 'unsafe_number'],
    ['-1e999', 'unsafe_number'],
    ['"9007199254740993"', 'taken'],
    ['{"9007199254740993":"\\\\"}', 'taken'],
    ['{"a":1', 'invalid_json'],
    ['NaN', 'invalid_json'],
    [' ', 'invalid_json'],
  ])('%s is %s', (text, code) => {
    expect(codeOf(text)).toBe(code);
  });

  it('shows nothing of a body that is not JSON', () => {
    expect(() => parseJsonBody(Buffer.from('{"password":"sesame"'))).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('sesame') }),
    );
  });

  it('refuses bytes that are not UTF-8', () => {
    const latin1 = Buffer.from('{"name":"\u00e9"}', 'latin1');
    expect(() => parseJsonBody(latin1)).toThrow(expect.objectContaining({ code: 'invalid_json', message: 'the body is not UTF-8' }));
  });

  it('walks over megabytes of text and of nesting', () => {
    expect(codeOf(JSON.stringify('x"\\'.repeat(1_000_000)))).toBe('taken');
    expect(codeOf(`${'['.repeat(2_000_000)}${']'.repeat(2_000_000)}`)).toBe('too_deep');
  });
});
