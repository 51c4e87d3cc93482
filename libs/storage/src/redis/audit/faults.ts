/**
 * What the auditor calls what it finds, and what a repair does about it; null: nothing can be done without a person. A
 * test reads the scripts and proves that every fault they name is here.
 */
export const faultRepairs = {
  'claim-without-lease': 'the claim was buried and the run made ready',
  'claim-beside-activation': 'the activation was dropped, the claim goes on',
  'claim-of-a-run-that-does-not-run': 'the status was set to running',
  'running-without-claim': 'the run was made ready',
  'queued-without-activation': 'the run was made ready',
  'activation-lost': 'the run was made ready again',
  'waiting-beside-activation': 'the run was made ready',
  'waiting-without-due-time': 'the run was made ready',
  'waiting-without-timer': 'the timer was set again',
  'ended-run-with-a-way-forward': 'claim, activation and timer were removed',
  'orphan-entry-of-a-list': 'the entry was removed',
  'wrong-index': 'the run was put into the index of its status',
  'workflow-without-a-name': 'the workflow was named again',
  'unreadable-record': 'the run was set aside',
  'orphan-activation': 'the entry was removed from its lane',
  'destroyed-record': null,
  'unknown-key': null,
  'wrong-type': null,
  'run-of-another-partition': null,
  'not-mendable': null,
} as const satisfies Record<string, string | null>;

export type Fault = keyof typeof faultRepairs;

/** One thing at which the namespace disagrees with itself. */
export interface Finding {
  /** Null when the key belongs to no run. */
  readonly runId: string | null;
  readonly key: string;
  readonly fault: Fault;
  readonly repairable: boolean;
}

export function finding(fault: Fault, key: string, runId: string | null): Finding {
  return { runId, key, fault, repairable: faultRepairs[fault] !== null };
}

/** @throws Error for a word that no script should answer */
export function faultNamed(word: unknown): Fault {
  if (typeof word !== 'string' || !Object.hasOwn(faultRepairs, word)) throw new Error(`${JSON.stringify(word)} is no fault of the auditor`);
  return word as Fault;
}
