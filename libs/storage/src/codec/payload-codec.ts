import { type Codec, type ErrorCodec, PayloadError } from '@millrace/durable';
import { errorCodec } from './error-codec.js';
import { isPlainJson, type PayloadLimits } from './plain-json.js';
import { reviveTagged } from './tagged-reader.js';
import { TaggedWriter, tooLarge } from './tagged-writer.js';
import { TAGGED_MARK, TAGGED_PREFIX } from './tags.js';

export interface PayloadCodecOptions {
  /** Largest stored text, in UTF-8 bytes. @defaultValue 1,048,576 (1 MiB) */
  readonly maxBytes?: number;
  /** Deepest nesting of containers. @defaultValue 64 */
  readonly maxDepth?: number;
}

/**
 * The codec of payloads (and, with `encodeError` and `decodeError`, of what user code throws). Plain JSON values become their JSON text. These come back with type and value too, at any depth: undefined, NaN,
 * ±Infinity, −0, bigint, Date (also an invalid one), Map, Set, RegExp, Buffer, Uint8Array and the other typed arrays, DataView,
 * ArrayBuffer, objects without a prototype, and errors with cause, errors and fields of their own. Binary values are base64.
 *
 * An error of a class of your own comes back as the nearest built-in class, with the same name, message, stack and fields. An object that occurs
 * twice comes back as two. Getters are read; keys that are not enumerable are not kept (but an error's usual ones).
 *
 * Refused with one `PayloadError` that names the path: functions, symbols (also as keys), promises, instances of other classes (return plain
 * data instead), sparse arrays, arrays and collections with keys of their own, cycles, nesting over the limit, and texts over the size limit,
 * which are given up early.
 */
export function createPayloadCodec({ maxBytes = 1_048_576, maxDepth = 64 }: PayloadCodecOptions = {}): Codec & ErrorCodec {
  const limits: PayloadLimits = { maxBytes, maxDepth };
  return {
    ...errorCodec,
    encode: (value, { what = 'value' } = {}) =>
      isPlainJson(value, limits) ? encodePlain(value, what, limits) : new TaggedWriter(what, limits).write(value),
    decode,
  };
}

function encodePlain(value: unknown, what: string, { maxBytes }: PayloadLimits): string {
  const text = JSON.stringify(value);
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBytes) throw tooLarge(what, bytes, maxBytes);
  return text;
}

function decode(text: string): unknown {
  try {
    if (!text.startsWith(TAGGED_MARK)) return JSON.parse(text);
    if (!text.startsWith(TAGGED_PREFIX)) throw new Error(`format ${JSON.stringify(text.slice(0, 2))} is not known to this version`);
    return reviveTagged(JSON.parse(text.slice(TAGGED_PREFIX.length)));
  } catch (cause) {
    throw new PayloadError(
      'payload_corrupt',
      `a stored payload cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    );
  }
}
