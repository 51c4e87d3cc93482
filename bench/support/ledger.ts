import { readFile } from 'node:fs/promises';

/** One entry of a step's function, as its process noted it outside Redis. */
export interface LedgerEntry {
  readonly pid: number;
  readonly step: number;
  readonly attempt: number;
  /** CLOCK_MONOTONIC, ns. */
  readonly at: bigint;
}

/** The entries of a ledger that `processes-ledger` wrote, in order. */
export async function readLedger(file: string): Promise<LedgerEntry[]> {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  return lines.map((line) => {
    const [pid, step, attempt, at] = line.split(' ');
    return { pid: Number(pid), step: Number(step), attempt: Number(attempt), at: BigInt(at ?? '') };
  });
}
