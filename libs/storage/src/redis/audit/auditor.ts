import type { Randomness } from '@millrace/durable';
import { RedisCallError } from '../connection/failures.js';
import type { RedisCaller } from '../connection/redis-caller.js';
import type { ParsedKey, StoreKeys } from '../keys.js';
import { finding, type Finding } from './faults.js';
import { ListMender } from './list-mender.js';
import { RunMender, type MendMode } from './run-mender.js';

const SCAN_PAGE = 500;

/** The type that a key of each kind has. */
const types: Readonly<Record<ParsedKey['kind'], string>> = {
  run: 'hash',
  ready: 'stream',
  index: 'zset',
  leases: 'zset',
  timers: 'zset',
  events: 'stream',
  names: 'set',
  meta: 'hash',
  workers: 'hash',
  'workers:expiry': 'zset',
  workflows: 'hash',
  probe: 'string',
};

/**
 * Walks every key of a namespace and says where it disagrees with itself: an unfinished run has at most one live claim, at
 * most one activation and at least one way forward, and every activation, timer, lease and index entry belongs to a record
 * that agrees. Each look is one script, so a transition that is under way is never seen half done. With `repair` the same
 * script mends what it found; what only a person can decide is answered as not repairable.
 */
export class Auditor {
  private readonly runs: RunMender;
  private readonly lists: ListMender;

  constructor(
    private readonly caller: RedisCaller,
    private readonly keys: StoreKeys,
    random: Randomness,
  ) {
    this.runs = new RunMender(caller, keys, random);
    this.lists = new ListMender(caller, keys);
  }

  /** Calls back with each finding as it comes, so that a namespace of any size needs no memory for it. */
  async walk(request: Readonly<{ repair: boolean }>, onFinding: (finding: Finding) => void): Promise<void> {
    const mode = request.repair ? 'mend' : 'look';
    for (const partition of await this.caller.onePartitionOfEachServer()) {
      let cursor = '0';
      do {
        const words = ['SCAN', cursor, 'MATCH', `{${this.keys.namespace}:*`, 'COUNT', SCAN_PAGE] as const;
        const [next, page] = (await this.caller.command(partition, [...words])) as [string, string[]];
        for (const key of page) await this.examine(key, mode, onFinding);
        cursor = next;
      } while (cursor !== '0');
    }
  }

  /** All findings of a walk. For tests and small namespaces. */
  async audit(request: Readonly<{ repair: boolean }> = { repair: false }): Promise<Finding[]> {
    const findings: Finding[] = [];
    await this.walk(request, (one) => findings.push(one));
    return findings;
  }

  private async examine(key: string, mode: MendMode, onFinding: (finding: Finding) => void): Promise<void> {
    const parsed = this.keys.parse(key);
    if (parsed === null) return onFinding(finding('unknown-key', key, null));
    const type = await this.caller.command(parsed.partition, ['TYPE', key]);
    // Gone since the scan, or a record of another type: the latter is looked at like any other record.
    if (type === 'none') return;
    if (parsed.kind !== 'run' && type !== types[parsed.kind]) return onFinding(finding('wrong-type', key, null));
    try {
      await this.examineParsed(key, parsed, mode, onFinding);
    } catch (error) {
      if (!(error instanceof RedisCallError)) throw error;
      onFinding(finding('not-mendable', key, null));
    }
  }

  private async examineParsed(key: string, parsed: ParsedKey, mode: MendMode, onFinding: (finding: Finding) => void): Promise<void> {
    const { partition } = parsed;
    switch (parsed.kind) {
      case 'run': {
        const { runId } = parsed;
        if (this.keys.run(runId) !== key) return onFinding(finding('run-of-another-partition', key, runId));
        for (const fault of await this.runs.examine(runId, mode)) onFinding(finding(fault, key, runId));
        return;
      }
      case 'ready':
        return this.lists.entriesOf(key, partition, mode, (runId) => onFinding(finding('orphan-activation', key, runId)));
      case 'index':
      case 'leases':
      case 'timers': {
        const workflow = parsed.kind === 'index' ? parsed.workflow : '';
        return this.lists.membersOf(key, { partition, workflow }, mode, (runId) =>
          onFinding(finding('orphan-entry-of-a-list', key, runId)),
        );
      }
      default:
        return;
    }
  }
}
