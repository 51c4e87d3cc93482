import type { RunHead, RunStore } from '@millrace/durable';
import { headOf } from '../memory-record.js';
import type { MemoryServer } from '../memory-server.js';
import { findRun, grantLease } from './script-run.js';

type RenewRequest = Parameters<RunStore['renew']>[0];

/** A token belongs to one history: an owner whose revision is not there takes a new one before it reads what is. */
export function renew(server: MemoryServer, request: RenewRequest): RunHead | 'lost' {
  const run = findRun(server, request.runId);
  if (run?.record.token === request.newToken) {
    return headOf(run.record);
  }
  if (run === null || run.record.token !== request.token) {
    return 'lost';
  }
  run.record.token = request.newToken;
  run.record.openAttempts = 0;
  grantLease(run, request.leaseMs);
  return headOf(run.record);
}
