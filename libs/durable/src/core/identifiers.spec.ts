import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { assertIdentifier, assertNamespace, identifierFault, isIdentifier, isNamespace } from './identifiers.js';

const allowed = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:@~+=,-';

describe('identifiers', () => {
  it('accepts exactly the documented set', () => {
    const valid = fc
      .tuple(
        fc.constantFrom(...Array.from(allowed.slice(0, 62))),
        fc.string({ unit: fc.constantFrom(...Array.from(allowed)), maxLength: 199 }),
      )
      .map(([first, rest]) => first + rest);
    fc.assert(fc.property(valid, (name) => isIdentifier(name) && identifierFault(name) === null));
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const isValid = text !== '' && Array.from(text).every((character) => allowed.includes(character)) && /^[A-Za-z0-9]/.test(text);
        expect(isIdentifier(text)).toBe(isValid);
        expect(identifierFault(text) === null).toBe(isValid);
      }),
    );
  });

  it.each(['constructor', 'toString', 'a', '0', 'order-1:eu@x', 'A'.repeat(200)])('accepts %s', (name) => {
    expect(() => assertIdentifier('step name', name)).not.toThrow();
  });

  it.each<[unknown, RegExp]>([
    [
      'charge card',
      /^step name is not valid: step name "charge card" has the character " " \(U\+0020\) at place 7; allowed are letters, digits and \. _ : @ ~ \+ = , -$/,
    ],
    ['__proto__', /"_" \(U\+005F\) at place 1; the first character must be a letter or a digit/],
    ['.', /at place 1; the first/],
    ['..', /at place 1; the first/],
    ['a{b}', /"\{" \(U\+007B\) at place 2/],
    ['a|b', /U\+007C/],
    ['a/b', /U\+002F/],
    ['a#b', /U\+0023/],
    ['a\n', /U\+000A/],
    ['né', /"é" \(U\+00E9\) at place 2/],
    ['a😀', /U\+1F600\) at place 2/],
    ['a\uD83D', /U\+D83D/],
    ['', /must not be empty/],
    ['a'.repeat(201), /has 201 characters, more than 200/],
    [7, /must be text, not number/],
    [null, /must be text, not null/],
    [undefined, /must be text, not undefined/],
  ])('refuses %j and says where', (value, message) => {
    expect(() => assertIdentifier('step name', value)).toThrow(message);
    expect(() => assertIdentifier('step name', value)).toThrow(
      expect.objectContaining({
        code: 'invalid_input',
        details: { problems: [expect.objectContaining({ path: 'step name' })], problemCount: 1 },
      }),
    );
  });

  it('keeps the error short whatever the value', () => {
    expect(identifierFault(' '.repeat(1 << 20))?.length).toBeLessThan(300);
  });
});

describe('namespaces', () => {
  it.each(['a', '0', 'prod-eu', 'a'.repeat(40)])('accepts %s', (name) => {
    expect(isNamespace(name)).toBe(true);
    expect(() => assertNamespace(name)).not.toThrow();
  });

  it.each(['', '-a', 'Prod', 'a_b', 'a}b', 'a'.repeat(41), 1])('refuses %j', (name) => {
    expect(isNamespace(name)).toBe(false);
    expect(() => assertNamespace(name)).toThrow(/namespace is not valid/);
  });
});
