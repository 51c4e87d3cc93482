import { type Codec, type ErrorCodec, PayloadError } from '@millrace/durable';
import { toJsonView } from './json-view.js';
import type { ErrorDto } from './run.dto.js';

/** Reads what the store keeps as text. */
export type PayloadReader = Codec & ErrorCodec;

/** A stored text as the API shows it: its value, or why it cannot be read. */
export type StoredView = { readonly value: unknown; readonly broken: null } | { readonly value: null; readonly broken: string };

/** A text that cannot be read is shown as broken: one bad record hides nothing else. */
export function payloadView(codec: PayloadReader, text: string | null, what: string): StoredView {
  if (text === null) return { value: null, broken: null };
  try {
    return { value: toJsonView(codec.decode(text)), broken: null };
  } catch (error) {
    if (!(error instanceof PayloadError)) throw error;
    return { value: null, broken: `the ${what} cannot be read: ${error.message}` };
  }
}

/** Causes shown of an error. */
const SHOWN_CAUSES = 8;

/** A stored error. Reading one never fails. */
export function errorView(codec: PayloadReader, text: string | null): ErrorDto | null {
  return text === null ? null : describe(codec.decodeError(text), SHOWN_CAUSES);
}

function describe(error: Error & { readonly code?: unknown; readonly details?: unknown }, causes: number): ErrorDto {
  const { name, message, code, details, stack, cause } = error;
  return {
    name,
    message,
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(details === undefined ? {} : { details: toJsonView(details) }),
    ...(stack === undefined ? {} : { stack }),
    ...(cause instanceof Error && causes > 0 ? { cause: describe(cause, causes - 1) } : {}),
  };
}

/** Milliseconds since the epoch as RFC 3339; null stays null. */
export function instantView(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
