import { afterEach, beforeEach, expect } from '@jest/globals';
import {
  type ClaimAnswer,
  type ClaimRequest,
  type Commit,
  type CommitAnswer,
  type CommitThen,
  type DeliveredActivation,
  type Lane,
  type LaneReader,
  type PumpAnswer,
  type RunHead,
  type RunStore,
  type SubmitAnswer,
  type SubmitRequest,
  systemRandomness,
} from '@millrace/durable';
import { crc16 } from '../../redis/crc16.js';
import { waitUntil } from '../wait-until.js';
import type { Harness, OpenHarness, StorageUnderTest } from './harness.js';

/** A claim that the test holds. `revision` is the record's as far as the owner knows. */
export interface Held {
  readonly runId: string;
  readonly lane: Lane;
  readonly token: string;
  readonly inbox: string;
  revision: number;
}

/** Long enough that no test meets it by accident. */
const LONG_LEASE_MS = 60_000;
/** As short as a lease can be: it has lapsed a moment later. */
export const SHORT_LEASE_MS = 1;
export const SET_ASIDE_ERROR = 'error: killed its workers';

/** What the rules are written with: each verb does one thing on one run and says nothing about what is right. */
export class Bench {
  private readonly readers: LaneReader[] = [];
  private named = 0;

  constructor(readonly harness: Harness) {}

  get first(): StorageUnderTest {
    return this.harness.first;
  }

  get second(): StorageUnderTest {
    return this.harness.second;
  }

  get runs(): RunStore {
    return this.harness.first.runs;
  }

  readonly lane: Lane = { queue: 'default', workflow: 'fulfil-order', version: 1 };

  bits(): string {
    return systemRandomness.bits64();
  }

  submission(over: Partial<SubmitRequest> = {}): SubmitRequest {
    this.named += 1;
    return { runId: `run-${this.named}`, lane: this.lane, input: '{"n":1}', digest: 'digest-1', requestId: this.bits(), ...over };
  }

  async submit(over: Partial<SubmitRequest> = {}, client = this.first): Promise<SubmitAnswer> {
    return only(await client.runs.submit([this.submission(over)]));
  }

  reader(lanes: readonly Lane[] = [this.lane], client = this.first): LaneReader {
    const reader = client.lanes(lanes);
    this.readers.push(reader);
    return reader;
  }

  /** Everything that the lane has for a worker now. */
  deliverAll(lane: Lane = this.lane, client = this.first): Promise<DeliveredActivation[]> {
    return this.reader([lane], client).read(1_000);
  }

  /** The one activation of a run, taken from its lane. */
  async deliver(runId: string, lane: Lane = this.lane): Promise<DeliveredActivation> {
    const delivered = await this.deliverAll(lane);
    return only(delivered.filter((activation) => activation.runId === runId));
  }

  claimRequest(activation: DeliveredActivation, over: Partial<ClaimRequest> = {}): ClaimRequest {
    return {
      ...activation,
      tokenBits: this.bits(),
      owner: 'worker-1',
      leaseMs: LONG_LEASE_MS,
      activationBudget: 5,
      setAsideError: SET_ASIDE_ERROR,
      ...over,
    };
  }

  async claim(activation: DeliveredActivation, over: Partial<ClaimRequest> = {}, client = this.first): Promise<ClaimAnswer> {
    return only(await client.runs.claim([this.claimRequest(activation, over)]));
  }

  /** Claims and expects to get it. */
  async hold(activation: DeliveredActivation, over: Partial<ClaimRequest> = {}, client = this.first): Promise<Held> {
    const answer = await this.claim(activation, over, client);
    if (answer.kind !== 'claimed') {
      throw new Error(`run ${activation.runId} was to be claimed, and the claim was ${answer.kind}`);
    }
    const { runId, lane, token, inbox, revision } = answer.head;
    return { runId, lane, token, inbox, revision };
  }

  /** Submits a run, delivers and claims it. */
  async start(over: Partial<SubmitRequest> = {}, claim: Partial<ClaimRequest> = {}): Promise<Held> {
    const { run } = await this.submit(over);
    return this.hold(await this.deliver(run.runId, run.lane), claim);
  }

  /** A run whose claim has lapsed and on which nobody has acted yet. */
  async startLapsed(over: Partial<SubmitRequest> = {}, claim: Partial<ClaimRequest> = {}): Promise<Held> {
    const held = await this.start(over, { leaseMs: SHORT_LEASE_MS, ...claim });
    await this.harness.timePasses(SHORT_LEASE_MS + 1);
    return held;
  }

  change({ runId, token, revision }: Held, over: Partial<Commit> = {}): Commit {
    return { runId, token, revision, writes: [], opens: false, then: { kind: 'continue' }, ...over };
  }

  async commit(held: Held, over: Partial<Commit> = {}, client = this.first): Promise<CommitAnswer> {
    return only(await client.runs.commit([this.change(held, over)]));
  }

  /** Commits and expects it to be applied. */
  async apply(held: Held, over: Partial<Commit> = {}): Promise<void> {
    expect(await this.commit(held, over)).toBe('ok');
    held.revision += 1;
  }

  /** Parks without a timer unless `over` says otherwise. */
  async park(held: Held, over: Partial<Extract<CommitThen, { kind: 'park' }>> = {}): Promise<void> {
    await this.apply(held, { then: { kind: 'park', inbox: held.inbox, wakeAt: null, ...over } });
  }

  async release(held: Held): Promise<void> {
    await this.apply(held, { then: { kind: 'release', bits: this.bits() } });
  }

  async end(held: Held, over: Partial<Extract<CommitThen, { kind: 'end' }>> = {}): Promise<void> {
    await this.apply(held, { then: { kind: 'end', status: 'completed', ...over } });
  }

  async cancel(runId: string, requestId = this.bits(), client = this.first): ReturnType<RunStore['cancel']> {
    return client.runs.cancel({ runId, requestId, reason: 'no longer wanted' });
  }

  async pump(over: Partial<Parameters<RunStore['pump']>[0]> = {}, client = this.first): Promise<PumpAnswer> {
    return client.runs.pump({ limit: 100, activationBudget: 5, setAsideError: SET_ASIDE_ERROR, ...over });
  }

  async head(runId: string): Promise<RunHead> {
    const head = await this.first.inspector.getRun(runId);
    if (head === null) {
      throw new Error(`run ${runId} was to be there`);
    }
    return head;
  }

  /** Waits until something that is told asynchronously has happened. */
  async until(name: string, probe: () => boolean): Promise<void> {
    await waitUntil({ name, limitMs: 5_000, pollMs: 2 }, probe);
  }

  /** The whole journal as an object, read page by page. */
  async journal(runId: string, journalEnd = 0): Promise<Record<number, string>> {
    const entries: Array<readonly [number, string]> = [];
    for (let from: number | null = 0; from !== null; ) {
      const page = await this.runs.readJournal({ runId, from, journalEnd });
      entries.push(...page.entries);
      from = page.next;
    }
    return Object.fromEntries(entries);
  }

  async close(): Promise<void> {
    await Promise.all(this.readers.map((reader) => reader.close()));
    await this.harness.close();
  }
}

/** Opens a bench before each test of the enclosing `describe` and closes it afterwards. */
export function useBench(open: OpenHarness): () => Bench {
  let bench: Bench | undefined;
  beforeEach(async () => {
    bench = new Bench(await open());
  });
  afterEach(async () => {
    const used = bench;
    bench = undefined;
    try {
      await used?.harness.checkInvariants?.();
    } finally {
      await used?.close();
    }
  });
  return () => {
    if (bench === undefined) {
      throw new Error('the bench is open only within a test');
    }
    return bench;
  };
}

/** The one member of a list that must have one. */
export function only<T>(list: readonly T[]): T {
  if (list.length !== 1) {
    throw new Error(`one member was expected, not ${list.length}`);
  }
  return list[0] as T;
}

/** Run ids that share a partition, with 16 partitions as with one. */
export function idsOfOnePartition(count: number): string[] {
  const ids: string[] = [];
  for (let n = 0; ids.length < count; n += 1) {
    if (crc16(`close-${n}`) % 16 === 0) {
      ids.push(`close-${n}`);
    }
  }
  return ids;
}
