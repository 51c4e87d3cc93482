import { type BackoffFunction, type ResolvedBackoff, backoffProblems, resolveBackoff } from '../core/backoff.js';
import { durationFault, durationMs } from '../core/durations.js';
import { InvalidInput, NonRetryable, PayloadError, type Problem } from '../core/errors.js';
import { identifierFault, isIdentifier } from '../core/identifiers.js';
import type { StepOptions } from './definitions.js';

export interface ResolvedStepOptions {
  readonly attempts: number;
  readonly timeoutMs: number | null;
  readonly backoff: ResolvedBackoff | BackoffFunction;
  readonly nonRetryable: ReadonlyArray<string | ((error: unknown) => boolean)>;
  readonly key: string | null;
}

const MAX_ATTEMPTS = 10_000;
const knownOptions = new Set(['attempts', 'timeout', 'backoff', 'nonRetryable', 'key']);

/** @throws InvalidInput naming every fault */
export function resolveStepOptions(
  stepName: string,
  options: StepOptions,
  defaults: Pick<ResolvedStepOptions, 'attempts' | 'backoff'>,
): ResolvedStepOptions {
  const problems = stepOptionProblems(options);
  const nameFault = identifierFault(stepName);
  if (nameFault !== null) problems.unshift({ path: 'name', message: nameFault });
  if (problems.length > 0) throw new InvalidInput(`step ${String(stepName).slice(0, 200)}`, problems);
  const { attempts, timeout, backoff, nonRetryable, key } = options;
  return {
    attempts: attempts ?? defaults.attempts,
    timeoutMs: timeout === undefined ? null : durationMs(timeout),
    backoff: backoff === undefined ? defaults.backoff : typeof backoff === 'function' ? backoff : resolveBackoff(backoff),
    nonRetryable: nonRetryable ?? [],
    key: key ?? null,
  };
}

/** Every fault of step options; unknown keys are faults. */
export function stepOptionProblems(options: StepOptions): Problem[] {
  const { attempts, timeout, backoff, nonRetryable, key } = options;
  const problems: Problem[] = [];
  const check = (path: string, isValid: boolean, message: string) => {
    if (!isValid) problems.push({ path, message });
  };
  const isBudget = attempts === undefined || (Number.isInteger(attempts) && attempts >= 1 && attempts <= MAX_ATTEMPTS);
  check('attempts', isBudget, `must be a whole number from 1 to ${MAX_ATTEMPTS}`);
  check('timeout', timeout === undefined || (durationMs(timeout) ?? 0) > 0, `${durationFault(timeout)}, and more than 0`);
  if (backoff !== undefined && typeof backoff !== 'function') problems.push(...backoffProblems(backoff));
  const isRuleList =
    nonRetryable === undefined ||
    (Array.isArray(nonRetryable) && nonRetryable.every((rule) => ['string', 'function'].includes(typeof rule)));
  check('nonRetryable', isRuleList, 'must be a list of class names, codes or predicates');
  check('key', key === undefined || isIdentifier(key), 'must be an identifier');
  for (const option of Object.keys(options)) check(option.slice(0, 50), knownOptions.has(option), 'is not known');
  return problems;
}

/** True when another attempt is useless, whatever the budget says. */
export function isNonRetryable(error: unknown, rules: ResolvedStepOptions['nonRetryable']): boolean {
  if (error instanceof NonRetryable || error instanceof PayloadError) return true;
  return rules.some((rule) => (typeof rule === 'function' ? holds(rule, error) : namesOf(error).includes(rule)));
}

/** A predicate of user code that throws says nothing about the error: the normal rule decides. */
function holds(rule: (error: unknown) => boolean, error: unknown): boolean {
  try {
    return rule(error) === true;
  } catch {
    return false;
  }
}

/** Class names up the prototype chain, `name` and `code`; empty for what is no object or does not let itself be read. */
function namesOf(error: unknown): string[] {
  if (typeof error !== 'object' || error === null) return [];
  try {
    const { name, code } = error as { name?: unknown; code?: unknown };
    const names = [name, code].filter((each): each is string => typeof each === 'string');
    for (let at = Object.getPrototypeOf(error); at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
      names.push(String(at.constructor?.name));
    }
    return names;
  } catch {
    return [];
  }
}
