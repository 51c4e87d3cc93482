/** Where a run stands. */
export type RunStatus = 'queued' | 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled' | 'set-aside';

/** Every status, in the order of a run's life. */
export const runStatuses: readonly RunStatus[] = ['queued', 'running', 'waiting', 'completed', 'failed', 'cancelled', 'set-aside'];

/** What moves a run from one status to another. */
export type RunEvent = 'submit' | 'claim' | 'park' | 'wake' | 'release' | 'lapse' | 'complete' | 'fail' | 'cancel' | 'set-aside' | 'retry';

interface Transition {
  /** Who causes it and when. */
  readonly meaning: string;
  /** Empty: there is no run before it. */
  readonly from: readonly RunStatus[];
  readonly to: RunStatus;
}

/** The life of a run as data. What is not here does not happen. */
export const runTransitions: Readonly<Record<RunEvent, Transition>> = {
  submit: { meaning: 'a client submits the run', from: [], to: 'queued' },
  claim: { meaning: 'a worker claims it', from: ['queued'], to: 'running' },
  park: { meaning: 'its body waits for nothing but timers, messages, tasks or children', from: ['running'], to: 'waiting' },
  wake: { meaning: 'an outcome that it waits for is there', from: ['waiting'], to: 'queued' },
  release: { meaning: 'its worker hands it back', from: ['running'], to: 'queued' },
  lapse: { meaning: 'the lease of its claim lapsed and the claim was buried', from: ['running'], to: 'queued' },
  complete: { meaning: 'its body returned', from: ['running'], to: 'completed' },
  fail: { meaning: 'its body threw', from: ['running'], to: 'failed' },
  cancel: {
    meaning: 'a cancel request took effect, or an operator gives up a run that was set aside',
    from: ['queued', 'running', 'waiting', 'set-aside'],
    to: 'cancelled',
  },
  'set-aside': {
    meaning: 'it killed its workers, its code does not fit its journal, or its record is broken',
    from: ['queued', 'running', 'waiting'],
    to: 'set-aside',
  },
  retry: { meaning: 'an operator lets it go on', from: ['set-aside', 'failed'], to: 'queued' },
};

/** True when no worker touches the run any more: it has an end, or was set aside. Only an operator's retry moves it. */
export function isTerminal(status: RunStatus): boolean {
  return status === 'set-aside' || isClosed(status);
}

/** True when the run has an end of its own: completed, failed or cancelled. A run that was set aside is terminal, not closed: it waits for an operator. */
export function isClosed(status: RunStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

/** The status after an event; null when the event cannot happen in this status (null: there is no run yet). */
export function nextStatus(status: RunStatus | null, event: RunEvent): RunStatus | null {
  const { from, to } = runTransitions[event];
  const happens = status === null ? from.length === 0 : from.includes(status);
  return happens ? to : null;
}

/** The transition table as a Mermaid state diagram, for the docs. */
export function drawRunStatuses(): string {
  const node = (status: RunStatus) => status.replace('-', '_');
  const lines = ['stateDiagram-v2'];
  for (const status of runStatuses) if (node(status) !== status) lines.push(`  state "${status}" as ${node(status)}`);
  for (const [event, { from, to }] of Object.entries(runTransitions)) {
    if (from.length === 0) lines.push(`  [*] --> ${node(to)}: ${event}`);
    for (const status of from) lines.push(`  ${node(status)} --> ${node(to)}: ${event}`);
  }
  for (const status of runStatuses) if (isClosed(status)) lines.push(`  ${node(status)} --> [*]`);
  return lines.join('\n');
}
