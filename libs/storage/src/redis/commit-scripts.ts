import { parseLane, type Commit, type CommitAnswer, type Lane } from '@millrace/durable';
import { isWrongType } from './connection/failures.js';
import type { LaneCache } from './lane-cache.js';
import { letterOf } from './record-fields.js';
import type { RunScripts } from './run-scripts.js';

type Released = Exclude<Commit['then'], { kind: 'continue' }>;

/** More writes than this in one commit are a fault of the caller: no script writes more than 1,000 items. */
const MOST_WRITES = 1_000;

/** Applies changes of owners: one small script while the run goes on, a second kind when its claim is released. */
export class CommitScripts {
  constructor(
    private readonly scripts: RunScripts,
    private readonly lanes: LaneCache,
  ) {}

  apply(commit: Commit): Promise<CommitAnswer> {
    if (commit.writes.length > MOST_WRITES) return Promise.reject(tooLarge(commit));
    const { then } = commit;
    return then.kind === 'continue' ? this.goOn(commit) : this.letGo(commit, then);
  }

  private goOn(commit: Commit): Promise<CommitAnswer> {
    const args = proofOf(commit);
    pushFields(args, commit);
    if (commit.openAttempts !== undefined) args.push('P', commit.openAttempts);
    return this.scripts.call('commit', commit.runId, [this.scripts.keys.run(commit.runId)], args).then(({ status }) => status);
  }

  private async letGo(commit: Commit, then: Released): Promise<CommitAnswer> {
    const lane = this.lanes.get(commit.runId) ?? (await this.readLane(commit.runId));
    if (lane === null) return 'lost';
    const answer = await this.callFor(commit, then, lane);
    if (answer === 'ok' || answer === 'lost') this.lanes.delete(commit.runId);
    return answer;
  }

  private async callFor(commit: Commit, then: Released, lane: Lane): Promise<CommitAnswer> {
    const { runId } = commit;
    const args = proofOf(commit);
    args.push(runId);
    if (then.kind === 'park') {
      args.push(then.inbox, then.wakeAt ?? '');
      pushFields(args, commit);
      return (await this.scripts.ofRun('park', { runId, lane }, args)).status;
    }
    if (then.kind === 'release') {
      args.push(then.bits);
      pushFields(args, commit);
      return (await this.scripts.ofRun('release', { runId, lane }, args)).status;
    }
    args.push(letterOf(then.status));
    pushFields(args, commit);
    pushOutcome(args, then);
    return (await this.scripts.ofRun('end', { runId, lane, ended: then.status }, args)).status;
  }

  private async readLane(runId: string): Promise<Lane | null> {
    try {
      return parseLane((await this.scripts.laneOf(runId)) ?? '');
    } catch (error) {
      if (isWrongType(error)) return null;
      throw error;
    }
  }
}

function tooLarge({ runId, writes }: Commit): RangeError {
  return new RangeError(`a commit of run ${runId} has ${writes.length} writes, more than ${MOST_WRITES}`);
}

/** The first arguments of every change by an owner. */
function proofOf({ token, revision, opens }: Commit): Array<string | number> {
  return [token, opens ? `${revision}!` : revision];
}

function pushFields(args: Array<string | number>, { writes, journalEnd }: Commit): void {
  for (const [field, value] of writes) args.push(field, value);
  if (journalEnd !== undefined) args.push('J', journalEnd);
}

function pushOutcome(args: Array<string | number>, { output, error }: Extract<Released, { kind: 'end' }>): void {
  if (typeof output === 'string') args.push('Y', `=${output}`);
  else if (output !== undefined) args.push('Y', `@${output.ref.toString(36)}`);
  if (error !== undefined) args.push('Z', error);
}
