import type { Lane } from '../../core/lane.js';
import type { RunHead } from '../../core/run-record.js';
import { workflow } from '../../engine/define.js';
import type { DeliveredActivation } from '../../ports/run-store.js';

export const sampleWorkflow = workflow({ name: 'sample', version: 1 }, () => Promise.resolve(null));
export const sampleLane: Lane = { queue: 'default', workflow: 'sample', version: 1 };

/** An activation of a sample run. */
export function activationOf(runId: string, lane: Lane = sampleLane): DeliveredActivation {
  return { runId, lane, entryId: `${runId}-0`, bits: `bits-${runId}` };
}

/** The head of a claimed sample run. */
export function headOf(runId: string, change: Partial<RunHead> = {}): RunHead & { token: string } {
  return {
    runId,
    status: 'running',
    lane: sampleLane,
    digest: 'd',
    input: 'null',
    output: null,
    error: null,
    lastToken: null,
    revision: 0,
    inbox: '0.r',
    activation: null,
    owner: 'w',
    wakeAt: null,
    deadClaims: 0,
    cancel: null,
    journalEnd: 0,
    createdAt: 1,
    startedAt: 1,
    endedAt: null,
    ...change,
    token: change.token ?? '1.token',
  };
}
