import { type Duration, durationFault, durationMs, MAX_DURATION_MS } from './durations.js';
import { InvalidInput, type Problem } from './errors.js';

/** How long to wait before the next attempt, as data. */
export interface BackoffOptions {
  /** `fixed`: always `delay`. `exponential`: `delay × factor^(attempt − 1)`. */
  readonly type: 'fixed' | 'exponential';
  readonly delay: Duration;
  /** 1–1,000. @defaultValue 2 */
  readonly factor?: number;
  /** Bound of every delay. @defaultValue '1m', or `delay` when that is longer */
  readonly max?: Duration;
  /** 0–1: the part of the delay that is random; 1 spreads it over 0 to the full delay. @defaultValue 0 */
  readonly jitter?: number;
}

/**
 * A delay of your own, in ms, for the attempt that just failed (1 for the first). At most ten years. Anything but a finite number
 * of 0 or more falls to the default backoff, and the step's history says so.
 */
export type BackoffFunction = (attempt: number, error: unknown) => number;

export type BackoffPolicy = BackoffOptions | BackoffFunction;

/** {@link BackoffOptions} with defaults applied. */
export interface ResolvedBackoff {
  readonly type: 'fixed' | 'exponential';
  readonly delayMs: number;
  readonly factor: number;
  readonly maxMs: number;
  readonly jitter: number;
}

export interface BackoffAnswer {
  /** A whole number, 0 ≤ delayMs ≤ the policy's maximum. */
  readonly delayMs: number;
  /** Why the policy's own answer was not taken, for the history; absent when it was. */
  readonly note?: string;
}

/** 1 s × 2 up to 1 min. */
export const defaultBackoff: ResolvedBackoff = Object.freeze({ type: 'exponential', delayMs: 1000, factor: 2, maxMs: 60_000, jitter: 0 });

const knownKeys = new Set(['type', 'delay', 'factor', 'max', 'jitter']);

/** @throws InvalidInput naming every fault */
export function resolveBackoff(options: BackoffOptions, name = 'backoff'): ResolvedBackoff {
  const problems = backoffProblems(options, name);
  if (problems.length > 0) throw new InvalidInput(name, problems);
  const delayMs = durationMs(options.delay) ?? defaultBackoff.delayMs;
  return Object.freeze({
    type: options.type,
    delayMs,
    factor: options.factor ?? defaultBackoff.factor,
    maxMs: options.max === undefined ? Math.max(defaultBackoff.maxMs, delayMs) : (durationMs(options.max) ?? defaultBackoff.maxMs),
    jitter: options.jitter ?? defaultBackoff.jitter,
  });
}

/** Every fault of backoff options that came from outside; unknown keys are faults. */
export function backoffProblems(options: unknown, path = 'backoff'): Problem[] {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    return [{ path, message: 'must be an object with type and delay' }];
  const { type, delay, factor, max, jitter } = options as Record<string, unknown>;
  const problems: Problem[] = [];
  const check = (key: string, isValid: boolean, message: string) => {
    if (!isValid) problems.push({ path: `${path}.${key}`, message });
  };
  check('type', type === 'fixed' || type === 'exponential', "must be 'fixed' or 'exponential'");
  check('delay', durationMs(delay) !== null, durationFault(delay));
  check('factor', factor === undefined || isBetween(factor, 1, 1000), 'must be a number from 1 to 1000');
  check('max', max === undefined || durationMs(max) !== null, durationFault(max));
  check('jitter', jitter === undefined || isBetween(jitter, 0, 1), 'must be a number from 0 to 1');
  for (const key of Object.keys(options)) check(key.slice(0, 50), knownKeys.has(key), 'is not known');
  return problems;
}

/**
 * The delay after a failed attempt. Pure but for a function's own effects, and total: whatever the policy does, the answer is a
 * finite whole number within its bound.
 * @param attempt the attempt that just failed, 1 for the first
 * @param random uniform in [0, 1), for the jitter
 */
export function backoffMs(policy: ResolvedBackoff | BackoffFunction, attempt: number, random: number, error?: unknown): BackoffAnswer {
  return typeof policy === 'function' ? askFunction(policy, attempt, random, error) : { delayMs: computeMs(policy, attempt, random) };
}

function computeMs({ type, delayMs, factor, maxMs, jitter }: ResolvedBackoff, attempt: number, random: number): number {
  const growth = type === 'fixed' ? 1 : factor ** (attempt > 1 ? attempt - 1 : 0);
  // A delay of 0 stays 0: 0 × Infinity would be NaN. Growth that overflows to Infinity ends at the bound.
  const grown = delayMs === 0 ? 0 : Math.min(maxMs, delayMs * growth);
  return Math.round(grown * (1 - jitter * random));
}

function askFunction(policy: BackoffFunction, attempt: number, random: number, error: unknown): BackoffAnswer {
  const fallBack = (what: string): BackoffAnswer => ({
    delayMs: computeMs(defaultBackoff, attempt, random),
    note: `the backoff function ${what}; the default was taken`,
  });
  let answer: unknown;
  try {
    answer = policy(attempt, error);
  } catch (thrown) {
    return fallBack(`threw ${describe(thrown)}`);
  }
  if (typeof answer !== 'number' || !(answer >= 0) || answer === Number.POSITIVE_INFINITY) return fallBack(`gave ${describe(answer)}`);
  if (answer > MAX_DURATION_MS)
    return { delayMs: MAX_DURATION_MS, note: 'the backoff function gave more than ten years; ten years were taken' };
  return { delayMs: Math.round(answer) + 0 };
}

function isBetween(value: unknown, least: number, most: number): boolean {
  return typeof value === 'number' && value >= least && value <= most;
}

/** Short and safe: a value of user code may throw when it is turned into text. */
function describe(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 50));
  if (value === null || ['number', 'boolean', 'undefined', 'bigint'].includes(typeof value)) return String(value).slice(0, 50);
  if (typeof value === 'object') return value instanceof Error ? 'an error' : 'an object';
  return `a ${typeof value}`;
}
