import type { BenchCase, Lab, Measured, Ratio, Rows, Scenario, Settings } from '../harness/scenario.js';
import { WrongResult } from '../harness/scenario.js';
import { builtFile } from '../support/built-file.js';
import { CountingProxy } from '../support/counting-proxy.js';
import { HttpConnection } from '../support/http-connection.js';
import { peer } from '../support/peer.js';
import { submitBatches } from '../support/submit-batches.js';
import { untilQuiet } from '../support/until-quiet.js';
import type { EchoInput } from '../workflows/echo.js';

const TIMEOUT_MS = 120_000;
const PAYLOAD_BYTES = 1024;
/** Once in each payload, and in nothing else that is sent. */
const MARKER = '<<payload>>';
const WARM_UP_RUNS = 10;
const TARGETS = new Map([
  [1, 5800],
  [10, 18_000],
]);

/** Submits runs and reads each to its end. */
type Load = (connection: HttpConnection, apiUrl: string, inputs: readonly EchoInput[]) => Promise<void>;

/** `single`: one after the other, each read to its end before the next is submitted. `batch`: all in one request, then read. */
const loads: Readonly<Record<'single' | 'batch', Load>> = { single: oneByOne, batch: allAtOnce };
/**
 * An API and a worker process with their defaults, whose connections to Redis all go through a proxy that counts: every byte of
 * the protocol between the submission over HTTP and the answer of `GET …?wait=30s`, with what both say in the background meanwhile.
 * Connections and scripts are there before. `payloadsIn` and `payloadsOut` are how often a run's payload crossed: there are one
 * input and a result of each step to write, of which the last is the run's output, and an input and an output to read.
 */
export const bytes: Scenario = {
  name: 'bytes',
  about: 'bytes of the Redis protocol per run of 1 and 10 steps that echo 1 KiB, API and worker together',
  cases: (settings) =>
    [1, 10].flatMap((steps) => [...loadsOf(settings).map((load) => ourCase(steps, load, settings)), ...peers(steps, settings)]),
  ratios,
};

function loadsOf({ quick }: Settings): ReadonlyArray<keyof typeof loads> {
  return quick ? ['single'] : ['single', 'batch'];
}

function ourCase(steps: number, load: keyof typeof loads, { quick }: Settings): BenchCase {
  return {
    row: { system: 'millrace', form: 'code', load, steps },
    timeoutMs: TIMEOUT_MS,
    sample: (lab) => measure(lab, { steps, load, runs: quick ? 10 : 200 }),
  };
}

/** What a row asks for. */
interface Asked {
  readonly steps: number;
  readonly load: keyof typeof loads;
  readonly runs: number;
}

async function measure(lab: Lab, { steps, load, runs }: Asked): Promise<Measured> {
  const proxy = await CountingProxy.start(lab.redis.port, MARKER);
  lab.onClose(() => proxy.close());
  const env = { MILLRACE_REDIS_URL: proxy.url };
  const [{ url }] = await Promise.all([lab.startApi(env), lab.startWorker({ ...env, MILLRACE_WORKFLOWS: builtFile('workflows/echo') })]);
  const connection = await HttpConnection.open(url);
  lab.onClose(() => connection.close());
  const complete = (count: number, by = load) =>
    loads[by](
      connection,
      url,
      Array.from({ length: count }, () => inputOf(steps)),
    );
  // What goes alone and what goes with others are different scripts; a script that Redis does not have yet is sent its arguments twice.
  await complete(WARM_UP_RUNS, 'single');
  await complete(WARM_UP_RUNS, 'batch');
  await untilQuiet(lab.redis.port);
  const before = proxy.traffic;
  await complete(runs);
  const after = proxy.traffic;
  const perRun = (direction: 'in' | 'out', of: 'bytes' | 'markers') => (after[direction][of] - before[direction][of]) / runs;
  const [bytesIn, bytesOut] = [perRun('in', 'bytes'), perRun('out', 'bytes')];
  return { bytes: bytesIn + bytesOut, bytesIn, bytesOut, payloadsIn: perRun('in', 'markers'), payloadsOut: perRun('out', 'markers') };
}

/** 1 KiB as JSON. */
function inputOf(steps: number): EchoInput {
  const empty = JSON.stringify({ steps, text: MARKER });
  return { steps, text: MARKER.padEnd(MARKER.length + PAYLOAD_BYTES - empty.length, 'x') };
}

async function oneByOne(connection: HttpConnection, _apiUrl: string, inputs: readonly EchoInput[]): Promise<void> {
  for (const input of inputs) {
    const answer = await connection.send(
      connection.encode({ method: 'POST', path: '/v1/runs', body: JSON.stringify({ workflow: 'echo', input }) }),
    );
    const { runId } = JSON.parse(answer.body.toString()) as { readonly runId: string };
    await readToEnd(connection, runId, input);
  }
}

async function allAtOnce(connection: HttpConnection, apiUrl: string, inputs: readonly EchoInput[]): Promise<void> {
  const runIds = await submitBatches(apiUrl, 'echo', inputs);
  for (const [at, runId] of runIds.entries()) await readToEnd(connection, runId, inputs[at]);
}

async function readToEnd(connection: HttpConnection, runId: string, input: EchoInput | undefined): Promise<void> {
  const answer = await connection.send(connection.encode({ method: 'GET', path: `/v1/runs/${runId}?wait=30s` }));
  const { status, output } = JSON.parse(answer.body.toString()) as { readonly status: string; readonly output: unknown };
  if (status !== 'completed' || JSON.stringify(output) !== JSON.stringify(input)) {
    throw new WrongResult(`run ${runId} is ${status} with ${JSON.stringify(output)?.slice(0, 100)}`);
  }
}

function peers(steps: number, { peers: wanted, quick }: Settings): BenchCase[] {
  if (!wanted) return [];
  return ['job', 'chain', 'flow'].map((form) => ({
    row: { system: 'bullmq', form, load: 'batch', steps },
    timeoutMs: TIMEOUT_MS,
    async sample(lab): Promise<Measured> {
      const flags = { form, steps, runs: quick ? 10 : 200, payload: PAYLOAD_BYTES };
      const { bytesIn = Number.NaN, bytesOut = Number.NaN } = await peer(lab, 'bytes', flags, TIMEOUT_MS);
      return { bytes: bytesIn + bytesOut, bytesIn, bytesOut };
    },
  }));
}

function ratios(rows: Rows): Ratio[] {
  return rows.matching({ system: 'millrace' }).flatMap((row) => {
    const { load = '', steps = 0 } = row;
    const named = (what: string, name: string, most: number | undefined): Ratio => ({
      name: `${what}, ${steps} steps, ${load}`,
      value: rows.median(row, name),
      ...(most === undefined ? {} : { target: { most } }),
    });
    return [
      named('bytes per run', 'bytes', TARGETS.get(Number(steps))),
      named('payloads written per run', 'payloadsIn', 1 + Number(steps)),
      named('payloads read per run', 'payloadsOut', 2),
      ...rows.matching({ system: 'bullmq', steps }).map(({ form = '' }) => ({
        name: `bytes per run, to BullMQ's ${form}, ${steps} steps, ${load}`,
        value: rows.median(row, 'bytes') / rows.median({ system: 'bullmq', form, steps }, 'bytes'),
      })),
    ];
  });
}
