import type { HeartbeatAnswer, RunStore } from '@millrace/durable';
import type { MemoryServer } from '../memory-server.js';
import { findRun, grantLease } from './script-run.js';

type HeartbeatRequest = Parameters<RunStore['heartbeat']>[0];

/** Moves a lease only where the token still matches: a lapsed one is revived only while nobody has acted on the lapse. */
export function heartbeat(server: MemoryServer, request: HeartbeatRequest): HeartbeatAnswer {
  const lost: string[] = [];
  const moved: string[] = [];
  for (const { runId, token, inbox } of request.claims) {
    const run = findRun(server, runId);
    if (run === null || run.record.token !== token) {
      lost.push(runId);
      continue;
    }
    grantLease(run, request.leaseMs);
    if (run.record.inbox !== inbox) {
      moved.push(runId);
    }
  }
  return { now: server.now(), lost, moved };
}
