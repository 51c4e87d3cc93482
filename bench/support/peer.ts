import { fileURLToPath } from 'node:url';
import { type Lab, type Measured, OutOfTime } from '../harness/scenario.js';
import { SupportProcess } from './support-process.js';

/** Flags of `bench/peers/main.mjs`, without their dashes. */
export type PeerFlags = Readonly<Record<string, string | number>>;

/** Plain JavaScript with packages of its own: never built, so always the source. */
const program = fileURLToPath(new URL('../peers/main.mjs', import.meta.url.replace('/dist/bench/', '/bench/')));

/** It ends by itself a little before the sample's limit, so that it can tell how far it came. */
const SHARE_OF_LIMIT = 0.95;

/** What it says when it did not finish: `done` of the steps, children or runs. */
interface Unfinished {
  readonly status: 'timeout';
  readonly done: number;
}

/**
 * Measures BullMQ once on the sample's Redis.
 * @param timeoutMs the sample's own
 * @throws OutOfTime when it did not finish, after `lab.progress`; Error when it failed; its oracles are its own
 */
export async function peer(lab: Lab, scenario: string, flags: PeerFlags, timeoutMs: number): Promise<Measured> {
  const all = { ...flags, port: lab.redis.port, 'timeout-ms': Math.round(timeoutMs * SHARE_OF_LIMIT) };
  const args = Object.entries(all).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const answer = JSON.parse(await SupportProcess.start(lab, program, [scenario, ...args]).says()) as Measured | Unfinished;
  if (!isUnfinished(answer)) return answer;
  lab.progress(answer.done, Number(flags['children'] ?? flags['runs'] ?? flags['steps']));
  throw new OutOfTime(`BullMQ did not finish in ${all['timeout-ms']} ms`);
}

function isUnfinished(answer: Measured | Unfinished): answer is Unfinished {
  return 'status' in answer;
}
