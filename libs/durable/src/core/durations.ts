import { InvalidInput } from './errors.js';

/** A number of milliseconds, or text: `'200ms'`, `'10s'`, `'1.5h'`, `'2d'`, `'1h 30m'`. Units: ms, s, m, h, d (24 h). */
export type Duration = number | string;

/** The longest duration: ten years of 365 days. */
export const MAX_DURATION_MS = 10 * 365 * 86_400_000;

const units = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const;
type Unit = keyof typeof units;
const PART = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/g;
const WHOLE = /^\d+(?:\.\d+)?(?:ms|s|m|h|d)(?: ?\d+(?:\.\d+)?(?:ms|s|m|h|d))*$/;
/** Longer texts are refused unread. */
const MAX_TEXT = 100;

/**
 * Milliseconds, rounded to a whole number: 0 to ten years.
 * @param name names the option in the error
 * @throws InvalidInput
 */
export function parseDuration(value: Duration, name = 'duration'): number {
  const ms = durationMs(value);
  if (ms !== null) return ms;
  throw new InvalidInput(name, [{ path: name, message: durationFault(value) }]);
}

/** Milliseconds, or null when the value is no duration. */
export function durationMs(value: unknown): number | null {
  const ms = typeof value === 'string' ? sumOfParts(value) : value;
  if (typeof ms !== 'number' || !(ms >= 0 && ms <= MAX_DURATION_MS)) return null;
  // `+ 0`: a negative zero must not be stored.
  return Math.round(ms) + 0;
}

/** What is wrong with a duration, as the end of a sentence that begins with its name. */
export function durationFault(value: unknown): string {
  const shown =
    typeof value === 'string' ? JSON.stringify(value.slice(0, MAX_TEXT)) : String(typeof value === 'number' ? value : typeof value);
  return `must be milliseconds or text like '200ms', '10s', '1.5h', '2d', from 0 to 10 years, not ${shown}`;
}

/** The exact, shortest reading form: `'1d 2h'`, `'1m 30s'`, `'250ms'`, `'0ms'`. `parseDuration` reads it back. */
export function formatDuration(ms: number): string {
  let rest = parseDuration(ms);
  const parts: string[] = [];
  for (const [unit, size] of Object.entries(units)) {
    const count = Math.floor(rest / size);
    if (count > 0) parts.push(`${count}${unit}`);
    rest -= count * size;
  }
  return parts.length === 0 ? '0ms' : parts.join(' ');
}

function sumOfParts(text: string): number {
  if (text.length > MAX_TEXT || !WHOLE.test(text)) return Number.NaN;
  let ms = 0;
  for (const [, count, unit] of text.matchAll(PART)) ms += Number(count) * units[unit as Unit];
  return ms;
}
