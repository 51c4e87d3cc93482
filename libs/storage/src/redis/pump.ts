import { laneName, parseLane, type DeliveredActivation, type Lane, type PumpAnswer, type Randomness } from '@millrace/durable';
import { isWrongType } from './connection/failures.js';
import { NO_LANE } from './no-lane.js';
import type { RunScripts } from './run-scripts.js';
import { scripts } from './scripts.generated.js';
import { settleAll } from './settle-all.js';

/** What a pump may do. */
export type PumpRequest = Readonly<{ limit: number; activationBudget: number; setAsideError: string }>;

/** Most runs that one look names; the next look finds the others. */
const MOST_NAMED = 1_000;
/** Scripts under way at once: each acts on one run. */
const BATCH = 100;

interface Named {
  readonly runId: string;
  readonly script: 'bury' | 'fire';
}
/** What is due on one server. */
interface Look {
  readonly now: number;
  readonly nextWakeAt: number | null;
  readonly named: readonly Named[];
}
interface Outcome extends Named {
  readonly status: 'ready' | 'aside' | 'nothing';
  readonly activation: DeliveredActivation | null;
}

/** Takes over from dead claims and wakes runs whose timer is due. What a look names is a hint: each script looks again. */
export class Pump {
  /** Where the next look begins, so that a partition full of due runs does not hide those behind it. */
  private firstPartition = 0;

  constructor(
    private readonly runScripts: RunScripts,
    private readonly random: Randomness,
  ) {}

  async pump(request: PumpRequest): Promise<PumpAnswer> {
    const looks = await this.lookEverywhere(request.limit);
    const outcomes = await this.actAll(
      looks.flatMap(({ named }) => named),
      request,
    );
    const wakes = looks.flatMap(({ nextWakeAt }) => nextWakeAt ?? []);
    return {
      now: Math.min(...looks.map(({ now }) => now)),
      activations: outcomes.flatMap(({ activation }) => activation ?? []),
      buried: outcomes.filter(({ script, status }) => script === 'bury' && status !== 'nothing').length,
      fired: outcomes.filter(({ script, status }) => script === 'fire' && status === 'ready').length,
      setAside: outcomes.filter(({ status }) => status === 'aside').map(({ runId }) => runId),
      nextWakeAt: wakes.length === 0 ? null : Math.min(...wakes),
    };
  }

  /** A server that does not answer keeps the others' runs from nothing; readers and commits tell of it. @throws when none answered */
  private async lookEverywhere(limit: number): Promise<Look[]> {
    const settled = await Promise.allSettled(this.runScripts.caller.topology.groups.map((partitions) => this.look(partitions, limit)));
    const looks = settled.flatMap((look) => (look.status === 'fulfilled' ? [look.value] : []));
    const [first] = settled;
    if (looks.length === 0 && first?.status === 'rejected') throw first.reason;
    return looks;
  }

  private async look(partitions: readonly number[], limit: number): Promise<Look> {
    const { caller, keys } = this.runScripts;
    this.firstPartition += 1;
    const shift = this.firstPartition % partitions.length;
    const rotated = [...partitions.slice(shift), ...partitions.slice(0, shift)];
    const reply = await caller.script({
      name: 'due',
      script: scripts.due,
      partition: rotated[0] ?? 0,
      keys: rotated.flatMap((partition) => [keys.leases(partition), keys.timers(partition)]),
      args: [Math.min(limit, MOST_NAMED), MOST_NAMED],
    });
    const [now, next, found] = reply as readonly [number, string, ReadonlyArray<readonly [readonly string[], readonly string[]]>];
    const named = found.flatMap(([lapsed, due]) => [
      ...lapsed.map((runId): Named => ({ runId, script: 'bury' })),
      ...due.map((runId): Named => ({ runId, script: 'fire' })),
    ]);
    return { now, nextWakeAt: next === '' ? null : Number(next), named };
  }

  private async actAll(named: readonly Named[], request: PumpRequest): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (let at = 0; at < named.length; at += BATCH) {
      outcomes.push(...(await settleAll(named.slice(at, at + BATCH), (one) => this.act(one, request))));
    }
    return outcomes;
  }

  private async act(named: Named, request: PumpRequest): Promise<Outcome> {
    const { runId, script } = named;
    const lane = await readableLane(this.runScripts, runId);
    const further = script === 'bury' ? [''] : [];
    const made = await moveRun(this.runScripts, this.random, { script, runId, lane, request, further });
    return { ...named, ...made };
  }
}

/** Calls `bury` or `fire` for one run with fresh bits for its activation. */
export async function moveRun(
  scriptsOfRun: RunScripts,
  random: Randomness,
  move: Readonly<{
    script: 'bury' | 'fire';
    runId: string;
    lane: Lane | null;
    request: Readonly<{ activationBudget: number; setAsideError: string }>;
    further: readonly string[];
  }>,
): Promise<{ status: 'ready' | 'aside' | 'nothing'; activation: DeliveredActivation | null }> {
  const { script, runId, request, further } = move;
  const lane = move.lane ?? NO_LANE;
  const bits = random.bits64();
  const args = [runId, laneName(lane), bits, request.activationBudget, request.setAsideError, ...further];
  const { status, rest } = await scriptsOfRun.ofRun(script, { runId, lane }, args);
  return { status, activation: status === 'ready' ? { runId, lane, entryId: String(rest[0]), bits } : null };
}

/** The lane of a run; null when there is no record, or none that can be read. */
async function readableLane(scriptsOfRun: RunScripts, runId: string): Promise<Lane | null> {
  try {
    return parseLane((await scriptsOfRun.laneOf(runId)) ?? '');
  } catch (error) {
    if (isWrongType(error)) return null;
    throw error;
  }
}
