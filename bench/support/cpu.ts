import { readFileSync } from 'node:fs';
import { rawCommand } from '@millrace/storage/testing';

/** Linux counts the time of processes in hundredths of a second, whatever the kernel's own tick is. */
const US_PER_TICK = 10_000;

/** CPU time of a process with all its threads so far, user and system, µs; exact to 10 ms. */
export function processCpuUs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The program's name stands in brackets and may hold anything; after it come field 3 and the rest. 14 and 15 are the times.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[14 - 3]) + Number(fields[15 - 3])) * US_PER_TICK;
}

/** CPU time of a Redis server with all its threads so far, user and system, µs. */
export async function redisCpuUs(port: number): Promise<number> {
  const info = await rawCommand({ port }, 'INFO', 'cpu');
  const seconds = (name: string) => Number(new RegExp(`${name}:([\\d.]+)`).exec(info)?.[1]);
  return (seconds('used_cpu_user') + seconds('used_cpu_sys')) * 1e6;
}
