import { fromBase64 } from './binary-values.js';
import { bareError } from './kinds.js';
import { TAG, type TagKind } from './tags.js';

type Members = Record<string, unknown>;

/** Turns parsed JSON of the tagged form into the value. Changes the parsed objects in place. @throws Error when it is no tagged form */
export function reviveTagged(node: unknown): unknown {
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) {
    for (let index = 0; index < node.length; index++) node[index] = reviveTagged(node[index]);
    return node;
  }
  const members = node as Members;
  const keys = Object.keys(members);
  return keys.length === 1 && keys[0] === TAG ? reviveTag(members[TAG]) : reviveMembers(members);
}

const numbers: ReadonlyMap<unknown, number> = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
  ['-0', -0],
]);

/** By kind: what the parts after it make. Undefined: they make nothing. */
const revivers: Readonly<Record<Exclude<TagKind, 'undefined'>, (...parts: unknown[]) => unknown>> = {
  number: (name) => numbers.get(name),
  bigint: (digits) => BigInt(textOf(digits)),
  date: (ms) => (ms === null ? new Date(Number.NaN) : typeof ms === 'number' ? new Date(ms) : undefined),
  map: (entries) => new Map(listOf(entries).map((entry) => pairOf(reviveTagged(entry)))),
  set: (items) => new Set(listOf(reviveTagged(items))),
  regexp: (source, flags, lastIndex) => Object.assign(new RegExp(textOf(source), textOf(flags)), { lastIndex }),
  bytes: (className, base64) => fromBase64(textOf(className), textOf(base64)) ?? undefined,
  error: (type, hidden, shown) => reviveError(textOf(type), membersOf(hidden), membersOf(shown)),
  plain: (members) => reviveMembers(membersOf(members)),
  bare: (members) => Object.setPrototypeOf(reviveMembers(membersOf(members)), null),
};

function reviveTag(tag: unknown): unknown {
  const [kind, ...parts] = listOf(tag);
  if (kind === 'undefined') return undefined;
  const reviver = typeof kind === 'string' && Object.hasOwn(revivers, kind) ? revivers[kind as keyof typeof revivers] : undefined;
  const value = reviver?.(...parts);
  if (value === undefined) throw new Error(`${JSON.stringify(kind)?.slice(0, 50)} is no readable tag`);
  return value;
}

function reviveMembers(members: Members): Members {
  for (const key of Object.keys(members)) define(members, key, reviveTagged(members[key]), true);
  return members;
}

function reviveError(type: string, hidden: Members, shown: Members): Error | undefined {
  const error = bareError(type);
  if (error === null) return undefined;
  for (const [key, value] of Object.entries(hidden)) define(error, key, reviveTagged(value), false);
  for (const [key, value] of Object.entries(shown)) define(error, key, reviveTagged(value), true);
  return error;
}

/** Never an assignment: that of `__proto__` would change the prototype instead of making a key. */
function define(target: object, key: string, value: unknown, enumerable: boolean): void {
  Object.defineProperty(target, key, { value, enumerable, writable: true, configurable: true });
}

function textOf(part: unknown): string {
  if (typeof part === 'string') return part;
  throw new Error('a part of a tag is no text');
}

function listOf(part: unknown): unknown[] {
  if (Array.isArray(part)) return part;
  throw new Error('a part of a tag is no list');
}

function pairOf(part: unknown): [unknown, unknown] {
  const list = listOf(part);
  if (list.length !== 2) throw new Error('a map entry is no pair');
  return [list[0], list[1]];
}

function membersOf(part: unknown): Members {
  if (typeof part === 'object' && part !== null && !Array.isArray(part)) return part as Members;
  throw new Error('a part of a tag is no object');
}
