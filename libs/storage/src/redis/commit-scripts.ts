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
    const args = [commit.token, markOf(commit), ...fieldsOf(commit)];
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
    const first = [commit.token, markOf(commit), runId];
    const fields = fieldsOf(commit);
    if (then.kind === 'park') {
      return (await this.scripts.ofRun('park', { runId, lane }, [...first, then.inbox, then.wakeAt ?? '', ...fields])).status;
    }
    if (then.kind === 'release') return (await this.scripts.ofRun('release', { runId, lane }, [...first, then.bits, ...fields])).status;
    const args = [...first, letterOf(then.status), ...fields, ...outcomeOf(then)];
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

function markOf({ revision, opens }: Commit): string {
  return opens ? `${revision}!` : String(revision);
}

function fieldsOf({ writes, journalEnd }: Commit): Array<string | number> {
  const fields: Array<string | number> = writes.flat();
  if (journalEnd !== undefined) fields.push('J', journalEnd);
  return fields;
}

function outcomeOf({ output, error }: Extract<Released, { kind: 'end' }>): string[] {
  const fields: string[] = [];
  if (typeof output === 'string') fields.push('Y', `=${output}`);
  else if (output !== undefined) fields.push('Y', `@${output.ref.toString(36)}`);
  if (error !== undefined) fields.push('Z', error);
  return fields;
}
