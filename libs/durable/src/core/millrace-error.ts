import { type ErrorCode, errorCodes } from './error-codes.js';

export interface MillraceErrorOptions {
  /** Plain data about the case. @defaultValue {} */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** Root of every error that Millrace throws. Tell them apart by `code`, which never changes; messages may. */
export abstract class MillraceError extends Error {
  readonly code: ErrorCode;
  /** True when the same call, later or elsewhere, may succeed. */
  readonly retryable: boolean;
  /** Plain data about the case. */
  readonly details: Readonly<Record<string, unknown>>;

  protected constructor(code: ErrorCode, message: string, options: MillraceErrorOptions = {}) {
    // An absent cause must stay absent: `{ cause: undefined }` would make an own property.
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    // Not enumerable, as on built-in errors, and a class that a user derives carries its own name.
    Object.defineProperty(this, 'name', { value: new.target.name, configurable: true, writable: true });
    this.code = code;
    this.retryable = errorCodes[code].retryable;
    this.details = options.details ?? {};
  }
}
