import { finish } from './finish.js';
import { clearClaim, type ScriptRun } from './script-run.js';

/** What a script that buries needs to judge a run that kills its workers. */
export interface BuryOptions {
  readonly activationBudget: number;
  readonly setAsideError: string;
}

/**
 * Takes a dead claim out of the record and charges the death: to the attempts opened under its token (they were counted
 * when they were opened), else to the activation budget, over which the run is set aside. Whoever calls this has proof
 * of death: the lease has lapsed in this very script, or the incarnation is gone.
 */
export function bury(run: ScriptRun, options: BuryOptions): 'buried' | 'set-aside' {
  const { record } = run;
  if (record.openAttempts === 0) {
    record.deadClaims += 1;
  }
  clearClaim(run);
  if (record.deadClaims < options.activationBudget) {
    return 'buried';
  }
  finish(run, 'set-aside', { error: options.setAsideError });
  return 'set-aside';
}
