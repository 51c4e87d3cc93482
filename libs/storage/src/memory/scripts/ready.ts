import { type DeliveredActivation, isTerminal } from '@millrace/durable';
import { append } from '../lane-stream.js';
import { laneStream, setStatus } from '../partition.js';
import type { ScriptRun } from './script-run.js';

/**
 * The one piece of script that makes a run ready: appends one activation unless the record names one or has ended.
 * Nobody holds the run: a lapsed claim was buried before, so a claim and an activation never exist together.
 */
export function ready(run: ScriptRun, bits: string): DeliveredActivation | null {
  const { server, partition, record } = run;
  if (isTerminal(record.status) || record.activation !== null) {
    return null;
  }
  partition.timers.delete(record.runId);
  record.wakeAt = null;
  record.activation = append(laneStream(partition, record.lane), server.now(), { runId: record.runId, bits });
  setStatus(partition, record, 'queued');
  server.events.notify({ runId: record.runId, status: 'queued' });
  server.appended.notify();
  return { ...record.activation, runId: record.runId, lane: { ...record.lane } };
}
