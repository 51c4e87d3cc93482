import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Randomness } from '../ports/clock.js';
import type { WorkerAnnouncement } from '../ports/registry.js';

/** Where this process runs, and what can be learnt of its neighbours. Read once at start, a fake one in tests. */
export interface HostFacts {
  readonly host: string;
  readonly pid: number;
  /** `<boot id>/<pid namespace>`: equal only for processes that see each other's pids. Null where the platform has none. */
  readonly hostId: string | null;
  /** State of a process of this pid namespace. */
  process(pid: number): ProcessState;
}

/** `gone`: no such process, or it has ended and nobody has collected it yet. `unknown`: it is there, its start time is not readable. */
export type ProcessState =
  | { readonly kind: 'alive'; readonly startedAt: string }
  | { readonly kind: 'gone' }
  | { readonly kind: 'unknown' };

/** An incarnation is the identity of one start of a worker: its name and 64 random bits. */
export function incarnationOf(name: string, random: Randomness): string {
  return `${name}~${random.bits64()}`;
}

/** The facts of this process, from /proc. */
export function readHostFacts(): HostFacts {
  return { host: hostname(), pid: process.pid, hostId: readHostId(), process: readProcess };
}

/** Start time of this process in clock ticks since boot, null where the platform does not tell. */
export function ownStartTime(facts: HostFacts): string | null {
  const own = facts.process(facts.pid);
  return own.kind === 'alive' ? own.startedAt : null;
}

/**
 * True only with proof that the earlier incarnation cannot act any more: it said goodbye, or it ran in this pid
 * namespace since this boot and its process is gone (a reused pid has another start time), or the operator vouches
 * that the name is exclusive. A stopped process (SIGSTOP) is alive. Without proof the lease decides.
 */
export function isProvenDead(earlier: WorkerAnnouncement, facts: HostFacts, exclusiveName: boolean): boolean {
  if (earlier.goodbye || exclusiveName) return true;
  if (earlier.hostId === null || earlier.hostId !== facts.hostId) return false;
  const state = facts.process(earlier.pid);
  if (state.kind === 'gone') return true;
  return state.kind === 'alive' && earlier.processStart !== null && earlier.processStart !== state.startedAt;
}

/** State and start time of a `/proc/<pid>/stat` text. The program's name stands in brackets and may hold anything, brackets included. */
export function parseProcessStat(text: string): { readonly state: string; readonly startedAt: string } | null {
  const fields = text
    .slice(text.lastIndexOf(')') + 1)
    .trim()
    .split(/\s+/);
  // After the name come field 3 (state) and the rest; the start time is field 22.
  const [state, startedAt] = [fields[0], fields[22 - 3]];
  return state === undefined || startedAt === undefined || !/^\d+$/.test(startedAt) ? null : { state, startedAt };
}

function readHostId(): string | null {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    // No /proc (macOS, Windows) or a locked-down one: no proof can be given there, which is what null says.
    return null;
  }
}

function readProcess(pid: number): ProcessState {
  if (!exists(pid)) return { kind: 'gone' };
  const stat = readStat(pid);
  if (stat === null) return { kind: 'unknown' };
  return stat.state === 'Z' || stat.state === 'X' ? { kind: 'gone' } : { kind: 'alive', startedAt: stat.startedAt };
}

/** /proc may hide the processes of other users; signal 0 tells a hidden process (EPERM) from none (ESRCH). */
function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function readStat(pid: number): ReturnType<typeof parseProcessStat> {
  try {
    return parseProcessStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    // Ended since, hidden, or no /proc: not readable, which proves nothing.
    return null;
  }
}
