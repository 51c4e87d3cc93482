import {
  laneName,
  parseLane,
  type CancelAnswer,
  type ClaimAnswer,
  type ClaimRequest,
  type Commit,
  type CommitAnswer,
  type DeliveredActivation,
  type HeartbeatAnswer,
  type HeldClaim,
  type InboxView,
  type JournalPage,
  type Lane,
  type PumpAnswer,
  type Randomness,
  type RunHead,
  type RunStore,
  type SubmitAnswer,
  type SubmitRequest,
} from '@millrace/durable';
import { CommitScripts } from './commit-scripts.js';
import { isWrongType } from './connection/failures.js';
import type { RedisCaller, Reply } from './connection/redis-caller.js';
import { Heartbeats } from './heartbeats.js';
import { journalPage } from './journal-page.js';
import type { StoreKeys } from './keys.js';
import { LaneCache } from './lane-cache.js';
import { NO_LANE } from './no-lane.js';
import { Pump } from './pump.js';
import { instant, numberOr, parseCancel, parseHead, statusOf, type FieldValue } from './record-fields.js';
import { RunScripts } from './run-scripts.js';
import { settleAll } from './settle-all.js';
import { TakeBack } from './take-back.js';

/** The write path on Redis. */
export class RedisRunStore implements RunStore {
  private readonly scripts: RunScripts;
  private readonly lanes = new LaneCache();
  private readonly commits: CommitScripts;
  private readonly heartbeats: Heartbeats;
  private readonly pumping: Pump;
  private readonly takingBack: TakeBack;

  constructor(
    private readonly caller: RedisCaller,
    private readonly keys: StoreKeys,
    random: Randomness,
  ) {
    this.scripts = new RunScripts(caller, keys);
    this.commits = new CommitScripts(this.scripts, this.lanes);
    this.heartbeats = new Heartbeats(caller, keys);
    this.pumping = new Pump(this.scripts, random);
    this.takingBack = new TakeBack(this.scripts, random);
  }

  submit(requests: readonly SubmitRequest[]): Promise<SubmitAnswer[]> {
    return settleAll(requests, (request) => this.submitOne(request));
  }

  claim(requests: readonly ClaimRequest[]): Promise<ClaimAnswer[]> {
    return settleAll(requests, (request) => this.claimOne(request));
  }

  async renew(request: Readonly<{ runId: string; token: string; newToken: string; leaseMs: number }>): Promise<RunHead | 'lost'> {
    const { runId, token, newToken, leaseMs } = request;
    const keys = [this.keys.run(runId), this.keys.leases(this.keys.partitionOf(runId))];
    const answer = await this.scripts.call('renew', runId, keys, [runId, token, newToken, leaseMs]);
    if (answer.status === 'lost') return 'lost';
    const head = parseHead(runId, answer.rest[0] as readonly FieldValue[]);
    return typeof head === 'string' ? 'lost' : head;
  }

  readJournal(request: Readonly<{ runId: string; from: number; journalEnd: number }>): Promise<JournalPage> {
    return journalPage(this.caller, this.keys, request);
  }

  async look(request: Readonly<{ runId: string; token: string }>): Promise<InboxView | 'lost'> {
    const values = await this.ofRecord(request.runId, ['T', 'N', 'X']);
    const [token, inbox, cancel] = values ?? [];
    return token && token === request.token ? { inbox: inbox ?? '', cancel: parseCancel(cancel ?? null) } : 'lost';
  }

  commit(commits: readonly Commit[]): Promise<CommitAnswer[]> {
    return settleAll(commits, (commit) => this.commits.apply(commit));
  }

  heartbeat(request: Readonly<{ claims: readonly HeldClaim[]; leaseMs: number }>): Promise<HeartbeatAnswer> {
    return this.heartbeats.send(request.claims, request.leaseMs);
  }

  async cancel(request: Readonly<{ runId: string; requestId: string; reason: string }>): Promise<CancelAnswer> {
    const { runId, requestId, reason } = request;
    for (;;) {
      const name = await this.laneOf(runId);
      // Without a lane the script only tells a missing record from a broken one.
      const lane = name === null ? NO_LANE : parseLane(name);
      if (lane === null) return 'closed';
      const args = [runId, laneName(lane), requestId, reason, this.keys.bellPrefix];
      const answer = await this.scripts.ofRun('cancel', { runId, lane, ended: 'cancelled' }, args);
      // The id was given to another run since its lane was read: look again.
      if (answer.status !== 'lane-changed') return answer.status;
    }
  }

  pump(request: Readonly<{ limit: number; activationBudget: number; setAsideError: string }>): Promise<PumpAnswer> {
    return this.pumping.pump(request);
  }

  takeBack(
    request: Readonly<{ owner: string; lanes: readonly Lane[]; activationBudget: number; setAsideError: string }>,
  ): Promise<DeliveredActivation[]> {
    return this.takingBack.takeBack(request);
  }

  async now(): Promise<number> {
    const [seconds, micros] = (await this.caller.command(0, ['TIME'])) as readonly [string, string];
    return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
  }

  private async submitOne(request: SubmitRequest): Promise<SubmitAnswer> {
    const { runId, lane, input, digest, requestId } = request;
    const answer = await this.scripts.call('submit', runId, this.keys.ofSubmission(runId, lane), [
      runId,
      laneName(lane),
      input,
      digest,
      requestId,
    ]);
    const [status, storedDigest, createdAt, storedLane, revision, startedAt, endedAt] = answer.rest as readonly FieldValue[];
    const run = {
      runId,
      // A record that cannot be read takes the id all the same; the empty digest equals no request's.
      status: statusOf(status) ?? 'set-aside',
      digest: storedDigest ?? '',
      createdAt: numberOr(0, createdAt),
      startedAt: instant(startedAt),
      endedAt: instant(endedAt),
      lane: parseLane(storedLane ?? '') ?? lane,
      revision: numberOr(0, revision),
    };
    return { outcome: answer.status === 'created' ? 'created' : 'existing', run };
  }

  private async claimOne(request: ClaimRequest): Promise<ClaimAnswer> {
    const { runId, lane, entryId, bits, tokenBits, owner, leaseMs, activationBudget, setAsideError } = request;
    const args = [runId, laneName(lane), entryId, bits, tokenBits, owner, leaseMs, activationBudget, setAsideError];
    const answer = await this.scripts.ofRun('claim', { runId, lane }, args);
    return answer.status === 'claimed' ? this.claimed(runId, answer.rest) : { kind: answer.status };
  }

  private claimed(runId: string, [now, ...values]: readonly Reply[]): ClaimAnswer {
    const head = parseHead(runId, values as readonly FieldValue[]);
    // The script reads the same fields; only a lane or status that no version writes gets here. Its lease lapses.
    if (typeof head === 'string' || head.token === null) return { kind: 'dropped' };
    this.lanes.set(runId, head.lane);
    return { kind: 'claimed', head: { ...head, token: head.token }, now: Number(now) };
  }

  private async ofRecord(runId: string, fields: readonly string[]): Promise<readonly FieldValue[] | null> {
    try {
      return (await this.caller.command(this.keys.partitionOf(runId), ['HMGET', this.keys.run(runId), ...fields])) as readonly FieldValue[];
    } catch (error) {
      if (isWrongType(error)) return null;
      throw error;
    }
  }

  private async laneOf(runId: string): Promise<string | null> {
    return (await this.ofRecord(runId, ['L']))?.[0] ?? null;
  }
}
