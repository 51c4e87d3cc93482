import { laneName, parseLane, type Lane, type Randomness } from '@millrace/durable';
import { encodeError } from '../../codec/index.js';
import { isWrongType, RedisCallError } from '../connection/failures.js';
import type { RedisCaller } from '../connection/redis-caller.js';
import type { StoreKeys } from '../keys.js';
import { NO_LANE } from '../no-lane.js';
import { scripts } from '../scripts.generated.js';
import { faultNamed, type Fault } from './faults.js';

/** Only look, or look and mend in the same script. */
export type MendMode = 'look' | 'mend';

/** A repair charges a death but never decides that a run had enough of them: workers do, who know the budget. */
const NO_BUDGET = 1_000_000_000;

/** Looks at one record and its surroundings in one script, and mends them in the same. */
export class RunMender {
  private readonly setAsideError = encodeError(new Error('its claims died in a row without opening an attempt'));
  private readonly brokenError = encodeError(new Error('the record was broken: a field of its head was missing or no value of it'));

  constructor(
    readonly caller: RedisCaller,
    readonly keys: StoreKeys,
    private readonly random: Randomness,
  ) {}

  /** @param workflow of the index that named the run, for a record that does not name its lane */
  async examine(runId: string, mode: MendMode, workflow?: string): Promise<Fault[]> {
    const lane = (await this.laneOf(runId)) ?? (workflow === undefined ? NO_LANE : { ...NO_LANE, workflow });
    const partition = this.keys.partitionOf(runId);
    const args = [mode, runId, laneName(lane), lane.workflow, this.random.bits64(), NO_BUDGET, this.setAsideError, this.brokenError];
    try {
      const found = await this.caller.script({ name: 'mendRun', script: scripts.mendRun, partition, keys: this.keysOf(runId, lane), args });
      return (found as readonly string[]).map(faultNamed);
    } catch (error) {
      // A list or lane around the run holds another type: somebody has to look, and the next run is looked at all the same.
      if (error instanceof RedisCallError) return ['not-mendable'];
      throw error;
    }
  }

  private keysOf(runId: string, lane: Lane): string[] {
    const partition = this.keys.partitionOf(runId);
    const ended = (['completed', 'failed', 'cancelled'] as const).map((indexClass) =>
      this.keys.index(partition, lane.workflow, indexClass),
    );
    return [...this.keys.ofRun(runId, lane), ...ended, this.keys.names(partition)];
  }

  private async laneOf(runId: string): Promise<Lane | null> {
    try {
      const name = await this.caller.command(this.keys.partitionOf(runId), ['HGET', this.keys.run(runId), 'L']);
      return parseLane(typeof name === 'string' ? name : '');
    } catch (error) {
      if (isWrongType(error)) return null;
      throw error;
    }
  }
}
