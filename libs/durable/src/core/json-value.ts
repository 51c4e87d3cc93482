/** Deepest nesting that {@link jsonFault} accepts. */
const MAX_DEPTH = 64;

/**
 * Where and why a value is no plain JSON (`.lines[2].at is a Date`), null when it is. Getters are read; a value that
 * contains itself is found by its depth.
 */
export function jsonFault(value: unknown, path = '', depth = 0): string | null {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return null;
  if (typeof value === 'number') return Number.isFinite(value) ? null : `${path} is ${value}`;
  if (value === undefined) return `${path} is undefined`;
  if (typeof value !== 'object') return `${path} is a ${typeof value}`;
  if (depth >= MAX_DEPTH) return `${path.slice(0, 100)}… is nested deeper than ${MAX_DEPTH}`;
  return Array.isArray(value) ? arrayFault(value, path, depth) : objectFault(value, path, depth);
}

/** JSON with the keys of every object in code unit order: equal data gives equal text. For plain JSON only. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = value as Record<string, unknown>;
  const keys = Object.keys(members).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalJson(members[key])}`).join(',')}}`;
}

function arrayFault(items: readonly unknown[], path: string, depth: number): string | null {
  for (let index = 0; index < items.length; index++) {
    const fault = jsonFault(items[index], `${path}[${index}]`, depth + 1);
    if (fault !== null) return fault;
  }
  return null;
}

function objectFault(value: object, path: string, depth: number): string | null {
  if (!isPlainObject(value)) return `${path} is a ${nameOfClass(value)}`;
  for (const [key, member] of Object.entries(value)) {
    const fault = jsonFault(member, `${path}.${key.slice(0, 50)}`, depth + 1);
    if (fault !== null) return fault;
  }
  return null;
}

/** An object literal, of this realm or another, or one without a prototype. */
function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    prototype === null ||
    prototype === Object.prototype ||
    (Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype as object, 'isPrototypeOf'))
  );
}

function nameOfClass(value: object): string {
  const { constructor } = value;
  return typeof constructor === 'function' && constructor.name !== '' ? constructor.name : 'class instance';
}
