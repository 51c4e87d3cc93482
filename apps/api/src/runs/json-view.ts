/**
 * A stored value as JSON. Plain JSON is shown as it is. What JSON has no word for is shown as an object with `$type`:
 *
 * | value | shown as |
 * | --- | --- |
 * | undefined | `{ "$type": "undefined" }` |
 * | NaN, ±Infinity, −0 | `{ "$type": "number", "value": "NaN" }` |
 * | bigint | `{ "$type": "bigint", "value": "10" }` |
 * | Date | `{ "$type": "date", "value": "2027-01-15T08:00:00.000Z" }`, of an invalid one `null` |
 * | Map | `{ "$type": "map", "entries": [[key, value], …] }` |
 * | Set | `{ "$type": "set", "values": […] }` |
 * | RegExp | `{ "$type": "regexp", "source": "…", "flags": "…" }` |
 * | binary | `{ "$type": "bytes", "class": "Buffer", "base64": "…" }` |
 * | Error | `{ "$type": "error", "name": …, "message": …, … }` |
 *
 * It is for reading: an object of the user that looks like one of these is not told apart from it.
 */
export function toJsonView(value: unknown): unknown {
  if (typeof value === 'number') return numberView(value);
  if (typeof value === 'bigint') return { $type: 'bigint', value: String(value) };
  if (value === undefined) return { $type: 'undefined' };
  return typeof value === 'object' && value !== null ? objectView(value) : value;
}

function numberView(value: number): unknown {
  const isPlain = Number.isFinite(value) && !Object.is(value, -0);
  return isPlain ? value : { $type: 'number', value: Object.is(value, -0) ? '-0' : String(value) };
}

function objectView(value: object): unknown {
  if (Array.isArray(value)) return value.map(toJsonView);
  if (value instanceof Date) return { $type: 'date', value: Number.isNaN(value.getTime()) ? null : value.toISOString() };
  if (value instanceof Map) return { $type: 'map', entries: [...value].map(([key, item]) => [toJsonView(key), toJsonView(item)]) };
  if (value instanceof Set) return { $type: 'set', values: [...value].map(toJsonView) };
  if (value instanceof RegExp) return { $type: 'regexp', source: value.source, flags: value.flags };
  if (ArrayBuffer.isView(value)) return bytesView(value, Buffer.from(value.buffer, value.byteOffset, value.byteLength));
  if (value instanceof ArrayBuffer) return bytesView(value, Buffer.from(value));
  return value instanceof Error ? errorMembers(value) : membersView(value);
}

function bytesView(value: object, bytes: Buffer): unknown {
  return { $type: 'bytes', class: value.constructor.name, base64: bytes.toString('base64') };
}

function errorMembers(error: Error): unknown {
  const { name, message } = error;
  const cause = error.cause === undefined ? {} : { cause: toJsonView(error.cause) };
  return { ...(membersView(error) as object), $type: 'error', name, message, ...cause };
}

function membersView(value: object): unknown {
  // Never an assignment: that of `__proto__` would change the prototype instead of making a key.
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toJsonView(member)]));
}
