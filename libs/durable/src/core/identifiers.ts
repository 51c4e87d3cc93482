import { InvalidInput } from './errors.js';

/** What an identifier names, in the words of the error. */
export type IdentifierKind =
  | 'run id'
  | 'workflow name'
  | 'step name'
  | 'step key'
  | 'task name'
  | 'node id'
  | 'queue name'
  | 'stream name'
  | 'worker name';

/** Longest identifier, in characters (each is one byte). */
const MAX_IDENTIFIER_LENGTH = 200;
/** Longest namespace, in characters. */
const MAX_NAMESPACE_LENGTH = 40;

const IDENTIFIER = /^[A-Za-z0-9][A-Za-z0-9._:@~+=,-]{0,199}$/;
const NAMESPACE = /^[a-z0-9][a-z0-9-]{0,39}$/;

const identifierRule = {
  first: /[A-Za-z0-9]/,
  other: /[A-Za-z0-9._:@~+=,-]/,
  maxLength: MAX_IDENTIFIER_LENGTH,
  set: 'letters, digits and . _ : @ ~ + = , -',
  start: 'a letter or a digit',
};
const namespaceRule = {
  first: /[a-z0-9]/,
  other: /[a-z0-9-]/,
  maxLength: MAX_NAMESPACE_LENGTH,
  set: 'lower-case letters, digits and -',
  start: 'a lower-case letter or a digit',
};
type Rule = typeof identifierRule;

/**
 * 1–200 characters of `A-Z a-z 0-9 . _ : @ ~ + = , -`, the first a letter or a digit. Needs no escaping in a key or a
 * URL path and has one byte form, so two different names are never the same key.
 */
export function isIdentifier(value: unknown): value is string {
  return typeof value === 'string' && IDENTIFIER.test(value);
}

/** @throws InvalidInput that says which character at which place is wrong */
export function assertIdentifier(kind: IdentifierKind, value: unknown): asserts value is string {
  const fault = identifierFault(value);
  if (fault !== null) throw new InvalidInput(kind, [{ path: kind, message: fault }]);
}

/** What is wrong with an identifier, as the end of a sentence that begins with its name; null when it is valid. */
export function identifierFault(value: unknown): string | null {
  return isIdentifier(value) ? null : findFault(value, identifierRule);
}

/** 1–40 characters of `a-z 0-9 -`, the first a letter or a digit. */
export function isNamespace(value: unknown): value is string {
  return typeof value === 'string' && NAMESPACE.test(value);
}

/** @throws InvalidInput that says which character at which place is wrong */
export function assertNamespace(value: unknown): asserts value is string {
  const fault = isNamespace(value) ? null : findFault(value, namespaceRule);
  if (fault !== null) throw new InvalidInput('namespace', [{ path: 'namespace', message: fault }]);
}

function findFault(value: unknown, rule: Rule): string {
  if (typeof value !== 'string') return `must be text, not ${value === null ? 'null' : typeof value}`;
  if (value === '') return 'must not be empty';
  const shown = JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  const characters = Array.from(value);
  const at = characters.findIndex((character) => !rule.other.test(character));
  const wrong = characters[at];
  if (wrong !== undefined) return `${shown} has ${describeCharacter(wrong)} at place ${at + 1}; allowed are ${rule.set}`;
  if (!rule.first.test(value.charAt(0)))
    return `${shown} has ${describeCharacter(value.charAt(0))} at place 1; the first character must be ${rule.start}`;
  return `has ${value.length} characters, more than ${rule.maxLength}`;
}

function describeCharacter(character: string): string {
  const codePoint = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `the character ${JSON.stringify(character)} (U+${codePoint})`;
}
