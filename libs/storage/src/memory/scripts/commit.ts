import type { Commit, CommitAnswer, CommitThen } from '@millrace/durable';
import type { MemoryRecord } from '../memory-record.js';
import type { MemoryServer } from '../memory-server.js';
import { setStatus } from '../partition.js';
import { finish } from './finish.js';
import { ready } from './ready.js';
import { clearClaim, findRun, type ScriptRun } from './script-run.js';

/** Compare-and-set on (token, revision). A refusal writes nothing. */
export function commit(server: MemoryServer, change: Commit): CommitAnswer {
  const run = findRun(server, change.runId);
  if (run === null || run.record.token !== change.token) {
    return 'lost';
  }
  if (run.record.revision !== change.revision) {
    // Only the owner raises the revision and has one commit in flight: one more than its own is its own, already applied.
    return run.record.revision === change.revision + 1 ? 'ok' : 'stale';
  }
  if (mustLookFirst(run.record, change)) {
    return 'look';
  }
  write(run.record, change);
  proceed[change.then.kind](run, change.then as never);
  return 'ok';
}

/** No attempt is opened over a control request, and nobody parks without having seen what came in. */
function mustLookFirst(record: MemoryRecord, { opens, then }: Commit): boolean {
  return (opens && record.cancel !== null) || (then.kind === 'park' && then.inbox !== record.inbox);
}

function write(record: MemoryRecord, change: Commit): void {
  for (const [field, value] of change.writes) {
    record.journal.set(field, value);
  }
  record.revision += 1;
  record.deadClaims = 0;
  record.openAttempts = change.openAttempts ?? record.openAttempts;
  record.journalEnd = change.journalEnd ?? record.journalEnd;
}

type Proceed = { readonly [Kind in CommitThen['kind']]: (run: ScriptRun, then: Extract<CommitThen, { kind: Kind }>) => void };

/** What becomes of the claim. All but `continue` clear the token, so that their repetition is answered "lost". */
const proceed: Proceed = {
  continue() {},
  park(run, { wakeAt }) {
    const { server, partition, record } = run;
    release(run);
    record.wakeAt = wakeAt;
    if (wakeAt !== null) {
      partition.timers.set(record.runId, wakeAt);
    }
    setStatus(partition, record, 'waiting');
    server.events.notify({ runId: record.runId, status: 'waiting' });
  },
  release(run, { bits }) {
    release(run);
    ready(run, bits);
  },
  end(run, then) {
    release(run);
    finish(run, then.status, then);
  },
};

/** The record keeps the token of this commit: with the revision it names the history that a parked journal is cached under. */
function release(run: ScriptRun): void {
  run.record.lastToken = run.record.token;
  clearClaim(run);
}
