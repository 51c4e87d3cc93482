import type { MemoryRecord } from '../memory-record.js';
import type { MemoryServer } from '../memory-server.js';
import type { Partition } from '../partition.js';

/** One readable record in its partition, as a script works on it. A script is one synchronous function: nothing interleaves. */
export interface ScriptRun {
  readonly server: MemoryServer;
  readonly partition: Partition;
  readonly record: MemoryRecord;
}

/** Null when there is no such run, or its record cannot be read. */
export function findRun(server: MemoryServer, runId: string): ScriptRun | null {
  const record = server.readRecord(runId);
  return record === null ? null : { server, partition: server.partitionOf(runId), record };
}

/** True while somebody holds the run and the lease has not lapsed. A lease that is gone counts as lapsed. */
export function hasLiveClaim({ server, partition, record }: ScriptRun): boolean {
  return record.token !== null && (partition.leases.get(record.runId) ?? 0) > server.now();
}

/** The claim leaves the record. Who calls this says what becomes of the run in the same script. */
export function clearClaim({ partition, record }: ScriptRun): void {
  record.token = null;
  record.openAttempts = 0;
  partition.leases.delete(record.runId);
}

export function grantLease({ server, partition, record }: ScriptRun, leaseMs: number): void {
  partition.leases.set(record.runId, server.now() + leaseMs);
}
