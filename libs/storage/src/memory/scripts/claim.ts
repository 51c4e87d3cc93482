import { type ClaimAnswer, type ClaimRequest, isTerminal, laneName } from '@millrace/durable';
import { remove } from '../lane-stream.js';
import { headOf, tokenBitsOf } from '../memory-record.js';
import type { MemoryServer } from '../memory-server.js';
import { laneStream, setStatus } from '../partition.js';
import { bury } from './bury.js';
import { findRun, grantLease, hasLiveClaim, type ScriptRun } from './script-run.js';

/** The order of the questions is the protocol's. */
export function claim(server: MemoryServer, request: ClaimRequest): ClaimAnswer {
  const run = findRun(server, request.runId);
  if (run !== null && holdsAlready(run, request)) {
    return claimed(run);
  }
  if (run === null || isTerminal(run.record.status) || !isCurrent(run, request)) {
    return drop(server, request);
  }
  if (hasLiveClaim(run)) {
    return { kind: 'busy' };
  }
  if (run.record.token !== null && bury(run, request) === 'set-aside') {
    return drop(server, request);
  }
  take(run, request);
  return claimed(run);
}

/** The repetition of a claim whose answer was lost. */
function holdsAlready({ record }: ScriptRun, { tokenBits }: ClaimRequest): boolean {
  return record.token !== null && tokenBitsOf(record.token) === tokenBits;
}

/** An id alone proves nothing: after lost writes, or by a hand that copies entries, two entries can have one. */
function isCurrent({ record: { activation, lane } }: ScriptRun, request: ClaimRequest): boolean {
  return activation?.entryId === request.entryId && activation.bits === request.bits && laneName(lane) === laneName(request.lane);
}

function drop(server: MemoryServer, request: ClaimRequest): ClaimAnswer {
  remove(laneStream(server.partitionOf(request.runId), request.lane), request);
  return { kind: 'dropped' };
}

function take(run: ScriptRun, request: ClaimRequest): void {
  const { server, partition, record } = run;
  record.epoch += 1;
  record.token = `${record.epoch}.${request.tokenBits}`;
  record.owner = request.owner;
  record.openAttempts = 0;
  record.activation = null;
  record.startedAt ??= server.now();
  setStatus(partition, record, 'running');
  grantLease(run, request.leaseMs);
  // Deleted, not only acknowledged: an entry that stays could be read again after lost writes.
  remove(laneStream(partition, request.lane), request);
}

function claimed({ server, record }: ScriptRun): ClaimAnswer {
  return { kind: 'claimed', head: { ...headOf(record), token: record.token as string }, now: server.now() };
}
