import { types } from 'node:util';
import { PayloadError, type PayloadErrorCode } from '@millrace/durable';
import { base64Length, binaryClassOf, isBinary, toBase64 } from './binary-values.js';
import { classNameOf, errorTypeOf, isError, isExactly, isPlainObject } from './kinds.js';
import { formatPath, type PathPart } from './payload-path.js';
import { hasSymbolKey, type PayloadLimits } from './plain-json.js';
import { TAG, TAGGED_PREFIX, type TagKind } from './tags.js';

/** Members of an error that are kept although they are not enumerable. */
const hiddenErrorKeys = ['name', 'message', 'stack', 'cause', 'errors'] as const;

/** ASCII that stands for itself inside JSON: keys and ids mostly are. */
const NEEDS_NO_ESCAPE = /^[\x20\x21\x23-\x5b\x5d-\x7e]{0,100}$/;

/**
 * Writes one value in the tagged form: JSON in which a special value is `{"$":[kind, …]}`. Each member is read once; the bytes are
 * counted as they are written, so a value over the limit is given up early. Everything that goes wrong, also in a getter or Proxy of the
 * value, is one `PayloadError` with the path.
 */
export class TaggedWriter {
  private text = TAGGED_PREFIX;
  private readonly path: PathPart[] = [];
  private readonly ancestors = new Set<object>();
  private bytes = TAGGED_PREFIX.length;

  constructor(
    private readonly what: string,
    private readonly limits: PayloadLimits,
  ) {}

  write(value: unknown): string {
    try {
      this.writeValue(value);
    } catch (error) {
      if (error instanceof PayloadError) throw error;
      throw this.refusal('payload_unsupported', 'cannot be read: a getter or Proxy of it threw', error);
    }
    return this.text;
  }

  private writeValue(value: unknown): void {
    switch (typeof value) {
      case 'string':
        return this.emitString(value);
      case 'number':
        return this.writeNumber(value);
      case 'boolean':
        return this.emit(String(value));
      case 'undefined':
        return this.writeTag('undefined');
      case 'bigint':
        return this.writeBigint(value);
      case 'object':
        return value === null ? this.emit('null') : this.writeContainer(value);
      default:
        throw this.refusal('payload_unsupported', `is a ${typeof value}; return plain data`);
    }
  }

  private writeNumber(value: number): void {
    if (Object.is(value, -0)) return this.writeTag('number', () => this.emit('"-0"'));
    if (!Number.isFinite(value)) return this.writeTag('number', () => this.emit(`"${value}"`));
    return this.emit(String(value));
  }

  private writeContainer(value: object): void {
    if (this.ancestors.has(value)) throw this.refusal('payload_circular', 'is circular: it contains itself');
    if (this.ancestors.size >= this.limits.maxDepth)
      throw this.refusal('payload_too_deep', `is nested deeper than ${this.limits.maxDepth}`);
    this.ancestors.add(value);
    this.writeObject(value);
    this.ancestors.delete(value);
  }

  private writeObject(value: object): void {
    if (Array.isArray(value)) return this.writeArray(value);
    if (isBinary(value)) return this.writeBinary(value);
    if (isError(value)) return this.writeError(value);
    if (types.isDate(value)) return this.writeBuiltIn(value, 'Date', 'date', () => this.emit(String(dateMs(value))));
    if (types.isMap(value)) return this.writeBuiltIn(value, 'Map', 'map', () => this.writeMap(value));
    if (types.isSet(value)) return this.writeBuiltIn(value, 'Set', 'set', () => this.writeSet(value));
    if (types.isRegExp(value)) return this.writeBuiltIn(value, 'RegExp', 'regexp', () => this.writeRegExp(value));
    if (Object.getPrototypeOf(value) === null) return this.writeBareObject(value);
    if (isPlainObject(value)) return this.writePlainObject(value);
    throw this.refusal('payload_unsupported', describeInstance(value));
  }

  private writeArray(items: readonly unknown[]): void {
    if (!isExactly(items, 'Array')) throw this.refusal('payload_unsupported', describeInstance(items));
    // Before anything is listed: an item takes at least two bytes, a hole of `new Array(1e9)` none yet.
    this.expect(items.length * 2);
    this.writeItems(items, (item, index) =>
      this.at(index, () => {
        if (item === undefined && !Object.hasOwn(items, index)) throw this.refusal('payload_unsupported', 'is a hole of a sparse array');
        this.writeValue(item);
      }),
    );
    if (Object.keys(items).length !== items.length || hasSymbolKey(items))
      throw this.refusal('payload_unsupported', 'is an array with keys of its own; return plain data');
  }

  private writeBareObject(value: object): void {
    this.refuseSymbolKeys(value);
    this.writeTag('bare', () => this.writeMembers(value, Object.keys(value)));
  }

  private writePlainObject(value: object): void {
    this.refuseSymbolKeys(value);
    const keys = Object.keys(value);
    // What looks like a tag is wrapped in one, so that it comes back as it was.
    if (keys.length === 1 && keys[0] === TAG) return this.writeTag('plain', () => this.writeMembers(value, keys));
    this.writeMembers(value, keys);
  }

  private writeBinary(value: ArrayBuffer | ArrayBufferView): void {
    const className = binaryClassOf(value);
    if (className === null) throw this.refusal('payload_unsupported', describeInstance(value));
    this.expect(base64Length(value));
    this.writeTag('bytes', () => this.emit(`"${className}","${toBase64(value)}"`));
  }

  private writeBigint(value: bigint): void {
    // Hexadecimal digits are found in linear time, decimal ones are not, and there are more of them.
    this.expect(value.toString(16).length);
    this.writeTag('bigint', () => this.emit(`"${value}"`));
  }

  private writeBuiltIn(value: object, className: string, kind: TagKind, content: () => void): void {
    if (!isExactly(value, className)) throw this.refusal('payload_unsupported', describeInstance(value));
    if (Object.keys(value).length > 0)
      throw this.refusal('payload_unsupported', `is a ${className} with keys of its own; return plain data`);
    this.refuseSymbolKeys(value);
    this.writeTag(kind, content);
  }

  private writeMap(map: ReadonlyMap<unknown, unknown>): void {
    this.writeItems([...map], ([key, value], index) => {
      this.emit('[');
      this.at({ label: `key ${index}` }, () => this.writeValue(key));
      this.emit(',');
      this.at({ label: `value ${index}` }, () => this.writeValue(value));
      this.emit(']');
    });
  }

  private writeSet(set: ReadonlySet<unknown>): void {
    this.writeItems([...set], (item, index) => this.at({ label: `item ${index}` }, () => this.writeValue(item)));
  }

  private writeRegExp({ source, flags, lastIndex }: RegExp): void {
    this.emitString(source);
    this.emit(`,"${flags}",${lastIndex}`);
  }

  /** Enumerable members stay enumerable, the usual hidden ones stay hidden; symbols that libraries put on errors are not kept. */
  private writeError(error: Error): void {
    const type = errorTypeOf(error);
    const hidden = hiddenErrorKeys.filter((key) => isHiddenIn(error, key, type));
    this.writeTag('error', () => {
      this.emit(`"${type}",`);
      this.writeMembers(error, hidden);
      this.emit(',');
      this.writeMembers(error, Object.keys(error));
    });
  }

  private writeMembers(value: object, keys: readonly string[]): void {
    const members = value as Record<string, unknown>;
    this.emit('{');
    for (const [index, key] of keys.entries()) {
      if (index > 0) this.emit(',');
      this.at(key, () => {
        this.emitString(key);
        this.emit(':');
        this.writeValue(members[key]);
      });
    }
    this.emit('}');
  }

  private writeTag(kind: TagKind, content?: () => void): void {
    this.emit(`{"${TAG}":["${kind}"`);
    if (content !== undefined) {
      this.emit(',');
      content();
    }
    this.emit(']}');
  }

  private writeItems<T>(items: readonly T[], writeItem: (item: T, index: number) => void): void {
    this.emit('[');
    for (let index = 0; index < items.length; index++) {
      if (index > 0) this.emit(',');
      writeItem(items[index] as T, index);
    }
    this.emit(']');
  }

  /** The path is not restored when `write` throws: the refusal reads it. */
  private at(part: PathPart, write: () => void): void {
    this.path.push(part);
    write();
    this.path.pop();
  }

  private emitString(text: string): void {
    this.expect(text.length + 2);
    if (NEEDS_NO_ESCAPE.test(text)) return this.emit(`"${text}"`);
    const quoted = JSON.stringify(text);
    this.emit(quoted, Buffer.byteLength(quoted));
  }

  /** @param bytes of the piece; its length when it is ASCII */
  private emit(piece: string, bytes: number = piece.length): void {
    this.expect(bytes);
    this.bytes += bytes;
    this.text += piece;
  }

  /** Gives up when so many more bytes do not fit. */
  private expect(bytes: number): void {
    if (this.bytes + bytes > this.limits.maxBytes)
      throw tooLarge(this.what, this.bytes + bytes, this.limits.maxBytes, formatPath(this.path));
  }

  private refuseSymbolKeys(value: object): void {
    if (hasSymbolKey(value)) throw this.refusal('payload_unsupported', 'has a symbol as key; return plain data');
  }

  private refusal(code: PayloadErrorCode, fault: string, cause?: unknown): PayloadError {
    const path = formatPath(this.path);
    return new PayloadError(code, `${this.what} cannot be stored: ${path} ${fault}`, { details: { path }, cause });
  }
}

/** @param path where the count went over; absent: the whole text was counted and `bytes` is exact */
export function tooLarge(what: string, bytes: number, maxBytes: number, path?: string): PayloadError {
  const count = path === undefined ? `${bytes}` : `${bytes} or more`;
  return new PayloadError('payload_too_large', `${what} too large (${count} > ${maxBytes} bytes)`, {
    details: { bytes, maxBytes, path: path ?? '$' },
  });
}

function describeInstance(value: object): string {
  if (types.isPromise(value)) return 'is a Promise; is an await missing?';
  const name = classNameOf(value);
  return `is an instance of ${name === '' ? 'a class' : name.slice(0, 100)}; return plain data`;
}

/** `null`, as JSON has no NaN: an invalid date. */
function dateMs(date: Date): number | null {
  const ms = date.getTime();
  return Number.isNaN(ms) ? null : ms;
}

/** A name or message that only the class has must be written too: the class itself is not kept. */
function isHiddenIn(error: Error, key: (typeof hiddenErrorKeys)[number], type: string): boolean {
  if (Object.hasOwn(error, key)) return !Object.prototype.propertyIsEnumerable.call(error, key);
  if (key === 'name') return error.name !== type;
  return key === 'message' && error.message !== '' && error.message !== undefined;
}
