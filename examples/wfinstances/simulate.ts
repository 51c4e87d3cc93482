import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

export interface SimulateInput {
  readonly id: string;
  readonly runtimeMs: number;
}
export interface SimulateOutput {
  /** 16 hexadecimal digits over the task's id and its predecessors' checksums. */
  readonly checksum: string;
}
/** Outputs by the id of the task that made them. */
export type Outputs = Readonly<Record<string, SimulateOutput>>;

/** Waits; rejects with the signal's reason when it is aborted. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

/**
 * Stands for a recorded task: takes as long as the original did and proves by its checksum that it got the right outputs of all its
 * predecessors.
 */
export async function simulate(
  input: SimulateInput,
  predecessors: Outputs,
  signal: AbortSignal,
  wait: Wait = waitForReal,
): Promise<SimulateOutput> {
  signal.throwIfAborted();
  await wait(input.runtimeMs, signal);
  return { checksum: checksumOf(input.id, predecessors) };
}

/** SHA-256 over `[id, [[predecessor id, checksum], …]]` as JSON, predecessors in code unit order, the first 16 hexadecimal digits. */
export function checksumOf(id: string, predecessors: Outputs): string {
  const sorted = Object.entries(predecessors)
    .map(([predecessor, { checksum }]): [string, string] => [predecessor, checksum])
    .sort(byId);
  return shortHash([id, sorted]);
}

/** The checksum of a whole run, from its output: the outputs of its sinks by id. */
export function finalChecksum(sinks: Outputs): string {
  return shortHash(
    Object.entries(sinks)
      .map(([id, { checksum }]): [string, string] => [id, checksum])
      .sort(byId),
  );
}

function shortHash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);
}

/** Not by locale: hosts must agree. */
function byId([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

async function waitForReal(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    // The timer rejects with an AbortError of its own; the reason says why.
    signal.throwIfAborted();
    throw error;
  }
}
