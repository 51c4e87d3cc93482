import type { CommitThen, RunStatus } from '@millrace/durable';
import { remove } from '../lane-stream.js';
import { laneStream, setStatus } from '../partition.js';
import { clearClaim, type ScriptRun } from './script-run.js';

type End = Extract<CommitThen, { kind: 'end' }>;

/** The end of a run: claim, activation, lease and timer leave with the status, so nothing points to a run that has ended. */
export function finish(run: ScriptRun, status: RunStatus, { output, error }: Pick<End, 'output' | 'error'> = {}): void {
  const { server, partition, record } = run;
  clearClaim(run);
  if (record.activation !== null) {
    remove(laneStream(partition, record.lane), record.activation);
    record.activation = null;
  }
  partition.timers.delete(record.runId);
  record.wakeAt = null;
  record.output = output ?? record.output;
  record.error = error ?? record.error;
  record.endedAt = server.now();
  setStatus(partition, record, status);
  server.events.notify({ runId: record.runId, status });
}
