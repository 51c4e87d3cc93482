import { ConfigurationError, resolveWorkerOptions, type WorkerOptions } from '@millrace/durable';
import type { EnvReader } from './env-reader.js';

type Setting = readonly [option: keyof WorkerOptions, variable: string];

/** Worker options that are counts or flags, and those that are durations: how the environment's text is read. */
const counts: readonly Setting[] = [
  ['concurrency', 'MILLRACE_CONCURRENCY'],
  ['claims', 'MILLRACE_CLAIMS'],
  ['claimBytes', 'MILLRACE_CLAIM_BYTES'],
  ['interruptions', 'MILLRACE_INTERRUPTIONS'],
  ['activationBudget', 'MILLRACE_ACTIVATION_BUDGET'],
  ['attempts', 'MILLRACE_ATTEMPTS'],
];
const durations: readonly Setting[] = [
  ['lease', 'MILLRACE_LEASE'],
  ['heartbeat', 'MILLRACE_HEARTBEAT'],
  ['linger', 'MILLRACE_LINGER'],
  ['grace', 'MILLRACE_GRACE'],
  ['abandon', 'MILLRACE_ABANDON'],
  ['maxBlock', 'MILLRACE_MAX_BLOCK'],
  ['pump', 'MILLRACE_PUMP'],
  ['reclaimIdle', 'MILLRACE_RECLAIM_IDLE'],
  ['block', 'MILLRACE_BLOCK'],
];
const flags: readonly Setting[] = [['exclusiveName', 'MILLRACE_EXCLUSIVE_NAME']];
const name: Setting = ['name', 'MILLRACE_WORKER_NAME'];
const queues: Setting = ['queues', 'MILLRACE_QUEUES'];
const variables = new Map<string, string>([...counts, ...durations, ...flags, name, queues]);

/** The worker's options as the environment has them. What is wrong with them is told by {@link workerOptionFaults}. */
export function readWorkerOptions(reader: EnvReader): WorkerOptions {
  const entries: Array<[string, unknown]> = [
    ...[...counts, ...durations].map(([option, variable]): [string, unknown] => [option, numberOrText(reader.raw(variable))]),
    ...flags.map(([option, variable]): [string, unknown] => [option, flagOrText(reader.raw(variable))]),
    [name[0], reader.raw(name[1])],
    [queues[0], reader.list(queues[1])],
  ];
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** Every fault of the options but those of queues, which are known when the workflows are loaded. In the words of the environment. */
export function workerOptionFaults({ queues: _queues, ...options }: WorkerOptions): string[] {
  try {
    resolveWorkerOptions(options, { hostName: 'host', knownQueues: [] });
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return problemsOf(error);
  }
}

/** The faults of an error about options, with variables for option names. */
export function problemsOf(error: ConfigurationError): string[] {
  const problems = error.details['problems'] as readonly string[];
  return problems.map((problem) => problem.replace(/^\w+/, (option) => variables.get(option) ?? option));
}

/** Only plain decimal numbers are numbers: ' 5 ', '1e9' and '' go on as texts, and are refused with their text shown. */
function numberOrText(text: string | undefined): number | string | undefined {
  return text !== undefined && /^-?\d{1,15}(\.\d{1,10})?$/.test(text) ? Number(text) : text;
}

function flagOrText(text: string | undefined): boolean | string | undefined {
  return text === 'true' || text === 'false' ? text === 'true' : text;
}
