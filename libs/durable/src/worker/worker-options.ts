import { type BackoffOptions, type ResolvedBackoff, backoffProblems, defaultBackoff, resolveBackoff } from '../core/backoff.js';
import { type Duration, durationFault, durationMs, formatDuration } from '../core/durations.js';
import { ConfigurationError } from '../core/errors.js';
import { identifierFault } from '../core/identifiers.js';
import { nearNames } from '../core/near-names.js';

/** A holder takes its claim for dead this long before the lease ends, ms: clocks drift and calls take time. */
export const LEASE_MARGIN_MS = 1000;

/** What a worker may be told. Every option has a default; an unknown one is refused. */
export interface WorkerOptions {
  /** Shown to operators. Not an identity: each start gets its own. 1–180 characters. @defaultValue the host name */
  readonly name?: string;
  /** The operator guarantees that no two live workers ever share the name: earlier ones are taken for dead at once. @defaultValue false */
  readonly exclusiveName?: boolean;
  /** User functions running at once, 1–10,000. @defaultValue 50 */
  readonly concurrency?: number;
  /** Runs held at once, 1–10,000. @defaultValue 200, or `concurrency` when that is more */
  readonly claims?: number;
  /**
   * Bytes of inputs and results that the held runs may keep in memory together, 1 MiB–16 GiB. While they are over it no further
   * run is claimed. @defaultValue 67_108_864 (64 MiB)
   */
  readonly claimBytes?: number;
  /** How long a claim outlives its last heartbeat, '3s'–'1h'. @defaultValue '15s' */
  readonly lease?: Duration;
  /** Between two heartbeats, at most a third of the lease. @defaultValue '5s', or a third of a shorter lease */
  readonly heartbeat?: Duration;
  /** How long a run that waits is kept in memory before it is parked. @defaultValue '2s' */
  readonly linger?: Duration;
  /** How long running functions may go on after a stop. @defaultValue '25s' */
  readonly grace?: Duration;
  /** How long a cancel waits for running functions, and how long an abandoned function keeps its place. @defaultValue '25s' */
  readonly abandon?: Duration;
  /** Heartbeats cease when the event loop stood still for this long; at least the lease. @defaultValue '1m', or a longer lease */
  readonly maxBlock?: Duration;
  /** How often a graceful stop may give an interrupted attempt back, 0–1,000. @defaultValue 20 */
  readonly interruptions?: number;
  /** Claims in a row that may die without having opened an attempt, 1–1,000. @defaultValue 5 */
  readonly activationBudget?: number;
  /** The longest pause between two looks for lapsed claims and due timers, '50ms'–'10s'. @defaultValue '800ms' */
  readonly pump?: Duration;
  /** An entry delivered this long ago and not claimed is delivered again; at least the heartbeat. @defaultValue '5s', or the heartbeat */
  readonly reclaimIdle?: Duration;
  /** How long one blocking read of the lanes waits, '100ms'–'30s'. @defaultValue '5s' */
  readonly block?: Duration;
  /** Serve only the workflows of these queues. @defaultValue every queue of the workflows served */
  readonly queues?: readonly string[];
  /** Attempt budget of steps that name none, 1–10,000. @defaultValue 3 */
  readonly attempts?: number;
  /** Of steps that name none. @defaultValue exponential, 1 s × 2 up to 1 min */
  readonly backoff?: BackoffOptions;
  /** Allows leases from 1.2 s, for tests that wait for a lease. @defaultValue false */
  readonly testing?: boolean;
}

/** {@link WorkerOptions} with defaults applied and checked, frozen. */
export interface ResolvedWorkerOptions {
  readonly name: string;
  readonly exclusiveName: boolean;
  readonly concurrency: number;
  readonly claims: number;
  readonly claimBytes: number;
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  readonly lingerMs: number;
  readonly graceMs: number;
  readonly abandonMs: number;
  readonly maxBlockMs: number;
  readonly interruptions: number;
  readonly activationBudget: number;
  readonly pumpMs: number;
  readonly reclaimIdleMs: number;
  readonly blockMs: number;
  /** Null: every queue of the workflows served. */
  readonly queues: readonly string[] | null;
  readonly attempts: number;
  readonly backoff: ResolvedBackoff;
}

/** What the options are checked against. */
export interface WorkerOptionsContext {
  readonly hostName: string;
  /** Queues of the workflows that the worker was given. */
  readonly knownQueues: Iterable<string>;
}

interface Bounds {
  readonly least: number;
  readonly most: number;
}

const MAX_NAME_LENGTH = 180;
const counts = {
  concurrency: { least: 1, most: 10_000 },
  claims: { least: 1, most: 10_000 },
  claimBytes: { least: 2 ** 20, most: 2 ** 34 },
  interruptions: { least: 0, most: 1000 },
  activationBudget: { least: 1, most: 1000 },
  attempts: { least: 1, most: 10_000 },
} as const satisfies Partial<Record<keyof WorkerOptions, Bounds>>;
const MINUTE = 60_000;
const durations = {
  lease: { least: 3000, most: 60 * MINUTE },
  heartbeat: { least: 100, most: 20 * MINUTE },
  linger: { least: 0, most: 10 * MINUTE },
  grace: { least: 0, most: 24 * 60 * MINUTE },
  abandon: { least: 0, most: 24 * 60 * MINUTE },
  maxBlock: { least: 1000, most: 24 * 60 * MINUTE },
  pump: { least: 50, most: 10_000 },
  reclaimIdle: { least: 100, most: 60 * MINUTE },
  block: { least: 100, most: 30_000 },
} as const satisfies Partial<Record<keyof WorkerOptions, Bounds>>;
const TESTING_LEASE_MS = 1200;
const flags = ['exclusiveName', 'testing'] as const;
const knownOptions: readonly string[] = [...Object.keys(counts), ...Object.keys(durations), ...flags, 'name', 'queues', 'backoff'];

/**
 * Checks what the user wrote and applies the defaults. Nothing is repaired silently.
 * @throws ConfigurationError naming every fault, one a line
 */
export function resolveWorkerOptions(options: WorkerOptions, context: WorkerOptionsContext): ResolvedWorkerOptions {
  const problems = [...unknownOptions(options), ...faultsOfValues(options), ...queueFaults(options.queues, context.knownQueues)];
  if (problems.length > 0) throw new ConfigurationError(problems);
  const resolved = applyDefaults(options, context.hostName);
  const contradictions = crossFaults(resolved, options);
  if (contradictions.length > 0) throw new ConfigurationError(contradictions);
  return Object.freeze(resolved);
}

function unknownOptions(options: WorkerOptions): string[] {
  return Object.keys(options)
    .filter((key) => !knownOptions.includes(key))
    .map((key) => {
      const near = nearNames(key, knownOptions);
      return `${key} is not a worker option${near.length > 0 ? `; did you mean ${near.join(' or ')}?` : ''}`;
    });
}

function faultsOfValues(options: WorkerOptions): string[] {
  const given: Readonly<Record<string, unknown>> = { ...options };
  const problems: string[] = [];
  const check = (key: string, fault: string | null): void => {
    if (given[key] !== undefined && fault !== null) problems.push(`${key} ${fault}`);
  };
  check(
    'name',
    identifierFault(options.name) ?? (String(options.name).length > MAX_NAME_LENGTH ? `has more than ${MAX_NAME_LENGTH} characters` : null),
  );
  for (const [key, bounds] of Object.entries(counts)) check(key, countFault(given[key], bounds));
  for (const [key, bounds] of Object.entries({ ...durations, lease: leaseBounds(options) }))
    check(key, boundedDurationFault(given[key], bounds));
  for (const key of flags) check(key, typeof given[key] === 'boolean' ? null : `must be true or false, not ${show(given[key])}`);
  if (options.backoff !== undefined) problems.push(...backoffProblems(options.backoff).map(({ path, message }) => `${path} ${message}`));
  return problems;
}

function leaseBounds(options: WorkerOptions): Bounds {
  return options.testing === true ? { ...durations.lease, least: TESTING_LEASE_MS } : durations.lease;
}

function countFault(value: unknown, { least, most }: Bounds): string | null {
  const isValid = typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most;
  return isValid ? null : `must be a whole number from ${least} to ${most}, not ${show(value)}`;
}

function boundedDurationFault(value: unknown, { least, most }: Bounds): string | null {
  const ms = durationMs(value);
  if (ms === null) return durationFault(value);
  return ms >= least && ms <= most ? null : `must be from ${formatDuration(least)} to ${formatDuration(most)}, not ${show(value)}`;
}

function queueFaults(queues: unknown, known: Iterable<string>): string[] {
  if (queues === undefined) return [];
  if (!Array.isArray(queues) || queues.length === 0) return [`queues must be a list of at least one queue name, not ${show(queues)}`];
  const knownQueues = new Set(known);
  return queues.flatMap((queue: unknown) => {
    const fault = identifierFault(queue);
    if (fault !== null) return [`queues: ${fault}`];
    if (knownQueues.has(queue as string)) return [];
    const near = nearNames(queue as string, knownQueues);
    return [
      `queues: no workflow of this worker is in queue ${show(queue)}${near.length > 0 ? `; did you mean ${near.join(' or ')}?` : ''}`,
    ];
  });
}

function applyDefaults(options: WorkerOptions, hostName: string): ResolvedWorkerOptions {
  const ms = (value: Duration | undefined, fallback: number): number => (value === undefined ? fallback : (durationMs(value) ?? fallback));
  const concurrency = options.concurrency ?? 50;
  const leaseMs = ms(options.lease, 15_000);
  const heartbeatMs = ms(options.heartbeat, Math.min(5000, Math.floor(leaseMs / 3)));
  return {
    name: options.name ?? nameOfHost(hostName),
    exclusiveName: options.exclusiveName ?? false,
    concurrency,
    claims: options.claims ?? Math.max(200, concurrency),
    claimBytes: options.claimBytes ?? 64 * 2 ** 20,
    leaseMs,
    heartbeatMs,
    lingerMs: ms(options.linger, 2000),
    graceMs: ms(options.grace, 25_000),
    abandonMs: ms(options.abandon, 25_000),
    maxBlockMs: ms(options.maxBlock, Math.max(MINUTE, leaseMs)),
    interruptions: options.interruptions ?? 20,
    activationBudget: options.activationBudget ?? 5,
    pumpMs: ms(options.pump, 800),
    reclaimIdleMs: ms(options.reclaimIdle, Math.max(5000, heartbeatMs)),
    blockMs: ms(options.block, 5000),
    queues: options.queues === undefined ? null : Object.freeze([...new Set(options.queues)]),
    attempts: options.attempts ?? 3,
    backoff: options.backoff === undefined ? defaultBackoff : resolveBackoff(options.backoff),
  };
}

/** A host name may hold characters that names here do not; only a default is rewritten, never what a user chose. */
function nameOfHost(hostName: string): string {
  const name = hostName
    .replaceAll(/[^A-Za-z0-9._-]/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, MAX_NAME_LENGTH);
  return name === '' ? 'worker' : name;
}

/** `written` is what the user wrote, for a message that shows it. */
function crossFaults(resolved: ResolvedWorkerOptions, written: WorkerOptions): string[] {
  const { leaseMs, heartbeatMs, maxBlockMs, reclaimIdleMs } = resolved;
  const problems: string[] = [];
  if (heartbeatMs * 3 > leaseMs) {
    problems.push(`heartbeat (${show(written.heartbeat)}) must be at most a third of the lease (${formatDuration(leaseMs)})`);
  }
  if (maxBlockMs < leaseMs) problems.push(`maxBlock (${show(written.maxBlock)}) must be at least the lease (${formatDuration(leaseMs)})`);
  if (reclaimIdleMs < heartbeatMs) {
    problems.push(`reclaimIdle (${show(written.reclaimIdle)}) must be at least the heartbeat (${formatDuration(heartbeatMs)})`);
  }
  return problems;
}

function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 60));
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
