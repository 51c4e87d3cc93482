import { parseArgs } from 'node:util';
import type { Row, Scenario, Settings } from './scenario.js';

/** What a user asked for. */
export type Command =
  | { readonly kind: 'help' }
  | {
      readonly kind: 'run';
      readonly scenarios: readonly Scenario[];
      readonly settings: Settings;
      readonly only: Row;
      /** Where the reports go as JSON: one object, or a list when several scenarios were asked for. */
      readonly jsonFile: string | null;
    };

/** The command line is wrong; the message names every fault. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const DEFAULT_SAMPLES = 5;
const MOST_SAMPLES = 1000;

const options = {
  fsync: { type: 'string', default: 'always' },
  samples: { type: 'string' },
  quick: { type: 'boolean', default: false },
  peers: { type: 'boolean', default: false },
  only: { type: 'string', multiple: true },
  json: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

/** @throws UsageError naming every fault */
export function parseCommandLine(args: readonly string[], known: readonly Scenario[]): Command {
  const { values, positionals } = parsed(args);
  if (values.help) return { kind: 'help' };
  const faults: string[] = [];
  const fault = (message: string) => void faults.push(message);
  const scenarios = chosen(positionals, known, fault);
  const settings = {
    fsync: fsyncOf(values.fsync, fault),
    samples: samplesOf(values.samples ?? String(values.quick ? 1 : DEFAULT_SAMPLES), fault),
    quick: values.quick,
    peers: values.peers,
  };
  const only = Object.fromEntries((values.only ?? []).map((text) => condition(text, fault)));
  if (faults.length > 0) throw new UsageError(faults.join('; '));
  return { kind: 'run', scenarios, settings, only, jsonFile: values.json ?? null };
}

/** What `--help` prints. */
export function help(known: readonly Scenario[]): string {
  const width = Math.max(...known.map(({ name }) => name.length));
  return [
    'npm run bench -- <scenario>|all [flags]',
    '',
    '  --fsync always|everysec   of every Redis server of the run (always)',
    `  --samples N               counted samples of each row (${DEFAULT_SAMPLES}, 1 with --quick)`,
    '  --quick                   few small rows without warm-up: shows that it works, measures nothing',
    '  --peers                   the rows of BullMQ too; run npm ci in bench/peers before',
    '  --only name=value         only rows with this value; may be repeated',
    '  --json FILE               writes the reports with every sample',
    '',
    ...known.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`),
    '',
  ].join('\n');
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function chosen(names: readonly string[], known: readonly Scenario[], fault: (message: string) => void): readonly Scenario[] {
  const [name] = names;
  if (names.length !== 1) fault(`one scenario or all must be named, not ${names.length}`);
  if (name === undefined || name === 'all') return known;
  const found = known.filter((each) => each.name === name);
  if (found.length === 0) fault(`${name} is no scenario; there are ${known.map((each) => each.name).join(', ')} and all`);
  return found;
}

function fsyncOf(text: string, fault: (message: string) => void): Settings['fsync'] {
  if (text !== 'always' && text !== 'everysec') fault(`--fsync must be always or everysec, not ${text}`);
  return text === 'everysec' ? 'everysec' : 'always';
}

function samplesOf(text: string, fault: (message: string) => void): number {
  const samples = Number(text);
  if (!Number.isSafeInteger(samples) || samples < 1 || samples > MOST_SAMPLES) {
    fault(`--samples must be a whole number of 1 to ${MOST_SAMPLES}, not ${text}`);
  }
  return samples;
}

function condition(text: string, fault: (message: string) => void): [name: string, value: string | number] {
  const [name = '', value] = text.split('=', 2);
  if (name === '' || value === undefined || value === '') fault(`--only must be name=value, not ${text}`);
  return [name, value !== undefined && /^\d+$/.test(value) ? Number(value) : (value ?? '')];
}
