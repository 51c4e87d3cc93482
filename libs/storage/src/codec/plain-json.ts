import { isExactly, isPlainObject } from './kinds.js';

export interface PayloadLimits {
  /** Size of the stored text in UTF-8 bytes. */
  readonly maxBytes: number;
  /** Containers inside each other. */
  readonly maxDepth: number;
}

/**
 * True when `JSON.stringify` writes the value faithfully and within the depth limit; false as well as soon as the text would
 * surely be over the size limit. Bounded by the limits, whatever the value is (shared parts, cycles, 64 MB strings).
 */
export function isPlainJson(value: unknown, limits: PayloadLimits): boolean {
  try {
    return new PlainCheck(limits.maxBytes, limits.maxDepth).accepts(value, 0);
  } catch {
    // A getter or Proxy threw. The tagged writer meets the same fault and names its place.
    return false;
  }
}

class PlainCheck {
  constructor(
    private room: number,
    private readonly maxDepth: number,
  ) {}

  accepts(value: unknown, depth: number): boolean {
    switch (typeof value) {
      case 'string':
        return this.takes(value.length + 2);
      case 'number':
        return Number.isFinite(value) && !Object.is(value, -0) && this.takes(1);
      case 'boolean':
        return this.takes(4);
      case 'object':
        if (value === null) return this.takes(4);
        if (depth >= this.maxDepth) return false;
        return Array.isArray(value) ? this.acceptsArray(value, depth + 1) : this.acceptsObject(value, depth + 1);
      default:
        return false;
    }
  }

  private acceptsArray(items: readonly unknown[], depth: number): boolean {
    // A comma or bracket an item: also keeps the list of keys below bounded.
    if (!this.takes(items.length + 1) || !isExactly(items, 'Array') || hasSymbolKey(items)) return false;
    if (Object.keys(items).length !== items.length) return false;
    return items.every((item) => this.accepts(item, depth));
  }

  private acceptsObject(value: object, depth: number): boolean {
    if (!isPlainObject(value) || hasSymbolKey(value) || !this.takes(2)) return false;
    const members = value as Record<string, unknown>;
    for (const key of Object.keys(members)) {
      if (!this.takes(key.length + 3) || !this.accepts(members[key], depth)) return false;
    }
    return true;
  }

  /** Counts a lower bound of the bytes: every UTF-16 unit takes at least one. */
  private takes(bytes: number): boolean {
    this.room -= bytes;
    return this.room >= 0;
  }
}

/** Own enumerable symbol keys: `JSON.stringify` drops them silently. */
export function hasSymbolKey(value: object): boolean {
  return Object.getOwnPropertySymbols(value).some((key) => Object.prototype.propertyIsEnumerable.call(value, key));
}
