import { laneName } from '../../core/lane.js';
import type { RunExit } from '../../engine/engine-deps.js';
import { FunctionSlots } from '../../engine/function-slots.js';
import type { ClaimAnswer, ClaimRequest, Commit, HeartbeatAnswer, HeldClaim } from '../../ports/run-store.js';
import { eventLog } from '../event-log.js';
import { FakeClock } from '../fake-clock.js';
import { fixedRandomness } from '../fixed-randomness.js';
import { Claimer } from '../../worker/claimer.js';
import { HeldRuns } from '../../worker/held-runs.js';
import { InProcessHeartbeats } from '../../worker/in-process-heartbeats.js';
import { Room } from '../../worker/room.js';
import { FakeExecution } from './fake-execution.js';
import { headOf, sampleLane, sampleWorkflow } from './sample-runs.js';

export interface WorkerPartsOptions {
  readonly claims?: number;
  readonly concurrency?: number;
  readonly exits?: Partial<Record<'fence' | 'stop' | 'interrupt', RunExit>>;
}

/** The claiming half of a worker over a store that a test answers for. */
export function workerParts({ claims = 10, concurrency = 10, exits = {} }: WorkerPartsOptions = {}) {
  const clock = new FakeClock();
  const random = fixedRandomness();
  const log = eventLog();
  const executions: FakeExecution[] = [];
  const store = new AnsweringStore();
  const heartbeats = new InProcessHeartbeats({
    leaseMs: 6000,
    heartbeatMs: 2000,
    maxBlockMs: 60_000,
    capacity: claims,
    clock,
    random,
    emit: log.emit,
    store,
    onServerTime: () => undefined,
  });
  const held: HeldRuns = new HeldRuns({
    heartbeats,
    workflows: new Map([[laneName(sampleLane), sampleWorkflow]]),
    execute: (claimed) => {
      const execution = new FakeExecution(claimed, exits);
      executions.push(execution);
      return execution;
    },
    onDropped: () => room.changed(),
    emit: log.emit,
  });
  const slots = new FunctionSlots(concurrency);
  const room: Room = new Room({ claims, claimBytes: 2 ** 26, slots, held, clock });
  const claimer = new Claimer({
    store,
    owner: 'w~1',
    held,
    room,
    clock,
    random,
    emit: log.emit,
    setAsideError: 'e',
    options: { leaseMs: 6000, activationBudget: 5 },
    onServerTime: () => undefined,
  });
  return { clock, random, log, executions, store, heartbeats, held, slots, room, claimer };
}

/** A store whose answers a test chooses. By default every claim succeeds. */
class AnsweringStore {
  readonly claims: ClaimRequest[][] = [];
  readonly commits: Commit[] = [];
  readonly beats: HeldClaim[][] = [];
  answerClaims: (requests: readonly ClaimRequest[]) => Promise<ClaimAnswer[]> = (requests) =>
    Promise.resolve(
      requests.map(({ runId, tokenBits }) => ({ kind: 'claimed', head: headOf(runId, { token: `1.${tokenBits}` }), now: 1 })),
    );
  answerBeats: () => Promise<HeartbeatAnswer> = () => Promise.resolve({ now: 1, lost: [], moved: [] });

  claim(requests: readonly ClaimRequest[]): Promise<ClaimAnswer[]> {
    this.claims.push([...requests]);
    return this.answerClaims(requests);
  }

  async commit(commits: readonly Commit[]): Promise<Array<'ok'>> {
    this.commits.push(...commits);
    return commits.map(() => 'ok');
  }

  heartbeat({ claims }: Readonly<{ claims: readonly HeldClaim[] }>): Promise<HeartbeatAnswer> {
    this.beats.push([...claims]);
    return this.answerBeats();
  }
}
