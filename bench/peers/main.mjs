/**
 * `node bench/peers/main.mjs <chain|throughput|fanout|bytes> --form job|chain|flow|plain --port N [flags]`: measures BullMQ once, on
 * the empty Redis server of that port, and prints one line of JSON: named numbers, or `{"status":"timeout","done":n}` with the
 * steps (chain), children (fanout) or runs done within --timeout-ms. Exit code: 0, or 1 with the fault on stderr.
 */
import { parseArgs } from 'node:util';

import { connect, disconnect } from './connections.mjs';
import { forms } from './forms.mjs';
import { bytes } from './scenarios/bytes.mjs';
import { chain } from './scenarios/chain.mjs';
import { fanout } from './scenarios/fanout.mjs';
import { throughput } from './scenarios/throughput.mjs';

const scenarios = { chain, throughput, fanout, bytes };

const options = /** @type {const} */ ({
  form: { type: 'string' },
  port: { type: 'string' },
  runs: { type: 'string', default: '1000' },
  steps: { type: 'string', default: '1' },
  concurrency: { type: 'string' },
  children: { type: 'string', default: '1000' },
  payload: { type: 'string', default: '1024' },
  'timeout-ms': { type: 'string', default: '120000' },
});

/**
 * Defaults. A single sequential run has one job at a time, and idle slots cost it fetches. Every slot fetches its first job with a
 * call of its own, later ones with the completion before, so one slot costs the fewest bytes. Many runs: the documentation calls 100
 * to 300 a standard setting; of 50, 100 and 300, the fastest single drains with appendfsync always were at 100. On a busy machine
 * the spread between drains is larger than that between settings: compare with more than one.
 */
const CONCURRENCY = { chain: 1, throughput: 100, fanout: 100, bytes: 1 };

try {
  const outcome = await main(process.argv.slice(2));
  // A run that did not finish leaves a worker behind; nothing of it is needed any more.
  process.stdout.write(`${JSON.stringify(outcome)}\n`, () => process.exit(0));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`, () => process.exit(1));
}

/** @param {string[]} argv */
async function main(argv) {
  const { scenario, port, timeoutMs, settings } = parse(argv);
  const bench = { connections: await connect(port), settings, done: () => 0 };
  const limit = timeLimit(timeoutMs);
  try {
    const measured = await Promise.race([scenarios[scenario](bench), bench.connections.lost, limit.reached]);
    return measured ?? { status: 'timeout', done: bench.done() };
  } finally {
    limit.clear();
    disconnect(bench.connections);
  }
}

/** @param {string[]} argv */
function parse(argv) {
  const { values, positionals } = parseArgs({ args: argv, options, allowPositionals: true });
  const [name, ...rest] = positionals;
  if (rest.length > 0) throw new Error(`one scenario at a time, not also ${rest.join(', ')}`);
  const scenario = oneOf(scenarios, 'scenario', name);
  const concurrency = values.concurrency ?? String(CONCURRENCY[scenario]);
  return {
    scenario,
    port: whole('--port', values.port),
    timeoutMs: whole('--timeout-ms', values['timeout-ms']),
    settings: {
      form: oneOf(forms, '--form', values.form),
      runs: whole('--runs', values.runs),
      steps: whole('--steps', values.steps),
      concurrency: whole('--concurrency', concurrency),
      children: whole('--children', values.children),
      payloadBytes: whole('--payload', values.payload),
    },
  };
}

/**
 * @template {object} T
 * @param {T} choices
 * @param {string} what
 * @param {string | undefined} name
 * @returns {keyof T}
 */
function oneOf(choices, what, name) {
  if (name !== undefined && Object.hasOwn(choices, name)) return /** @type {keyof T} */ (name);
  throw new Error(`${what} must be one of ${Object.keys(choices).join(', ')}, not ${name ?? 'left out'}`);
}

/**
 * @param {string} flag
 * @param {string | undefined} text
 */
function whole(flag, text) {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new Error(`${flag} must be a whole number above 0, not ${text ?? 'left out'}`);
}

/**
 * @param {number} ms
 * @returns {{ reached: Promise<undefined>, clear: () => void }}
 */
function timeLimit(ms) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const reached = new Promise((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  return { reached, clear: () => clearTimeout(timer) };
}
