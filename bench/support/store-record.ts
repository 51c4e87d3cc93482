import { encodeEntry, entryField, type Lane, systemRandomness } from '@millrace/durable';
import { createPayloadCodec, errorCodec, type RedisStorage } from '@millrace/storage';
import { WrongResult } from '../harness/scenario.js';

const codec = { ...createPayloadCodec(), ...errorCodec };
const LANE: Lane = { queue: 'default', workflow: 'commit-cost', version: 1 };
const RUN_ID = '01JABCDEFGHJKMNPQRSTVWXYZ0';
const STEP = 'step-one';
const LEASE_MS = 3_600_000;
/** Of one commit that fills a record. */
const MOST_FIELDS = 500;
const MOST_BYTES = 500_000;
/** Start and end of a step, ms after the run's creation. */
const TIMES = { startedAfter: 40, endedAfter: 77 };

/** A claimed run, worked on through the store alone: no engine, no worker. */
export class StoreRecord {
  private constructor(
    private readonly storage: RedisStorage,
    private readonly token: string,
    private revision: number,
    private readonly payload: string,
  ) {}

  /** Submits the run and claims it. @param payloadBytes of every result that is confirmed */
  static async claim(storage: RedisStorage, payloadBytes: number): Promise<StoreRecord> {
    const requestId = systemRandomness.bits64();
    await storage.runs.submit([{ runId: RUN_ID, lane: LANE, input: codec.encode(null), digest: 'd', requestId }]);
    const reader = storage.lanes([LANE]);
    const [activation] = await reader.read(1);
    await reader.close();
    if (activation === undefined) throw new Error('the lane is empty');
    const [answer] = await storage.runs.claim([
      {
        ...activation,
        tokenBits: systemRandomness.bits64(),
        owner: 'bench#1',
        leaseMs: LEASE_MS,

        activationBudget: 5,
        setAsideError: codec.encodeError(new Error('budget')),
      },
    ]);
    if (answer?.kind !== 'claimed') throw new Error(`the claim was ${answer?.kind}`);
    return new StoreRecord(storage, answer.head.token, answer.head.revision, codec.encode('x'.repeat(payloadBytes - '""'.length)));
  }

  /** Confirms steps 0 to `entries` − 1, many a commit, and opens the next one. */
  async fill(entries: number, onProgress: (confirmed: number) => void): Promise<void> {
    const atOnce = Math.max(1, Math.min(MOST_FIELDS, Math.floor(MOST_BYTES / this.payload.length)));
    for (let from = 0; from < entries; from += atOnce) {
      const to = Math.min(entries, from + atOnce);
      await this.commit(Array.from({ length: to - from }, (_, i) => this.confirmed(from + i)));
      onProgress(to);
    }
    await this.commit([this.opened(entries)]);
  }

  /**
   * What a worker commits between two steps of a sequence: the result of the one and the opening of the next. The same two each
   * time, so that the record holds as many entries afterwards as before.
   */
  confirmLast(entries: number): Promise<void> {
    return this.commit([this.confirmed(entries - 1), this.opened(entries)]);
  }

  /** @throws WrongResult when the record does not have the revision and the entries that it should have */
  async check(entries: number): Promise<void> {
    const head = await this.storage.inspector.getRun(RUN_ID);
    if (head?.revision !== this.revision) throw new WrongResult(`the revision is ${head?.revision}, not ${this.revision}`);
    let found = 0;
    for (let from: number | null = 0; from !== null; ) {
      const page: JournalPage = await this.storage.runs.readJournal({ runId: RUN_ID, from, journalEnd: entries + 1 });
      found += page.entries.length;
      from = page.next;
    }
    if (found !== entries + 1) throw new WrongResult(`the journal has ${found} entries, not ${entries + 1}`);
  }

  private async commit(writes: ReadonlyArray<readonly [string, string]>): Promise<void> {
    const { token, revision } = this;
    const [answer] = await this.storage.runs.commit([{ runId: RUN_ID, token, revision, writes, opens: true, then: { kind: 'continue' } }]);
    if (answer !== 'ok') throw new WrongResult(`the commit of revision ${revision + 1} was answered ${answer}`);
    this.revision += 1;
  }

  private confirmed(number: number): [string, string] {
    const outcome = { handover: number + 1, revision: number + 2, used: 1, interruptions: 0, payload: this.payload };
    return [entryField(number), encodeEntry({ kind: 'step', state: 'completed', name: STEP, key: null, ...TIMES, ...outcome }, number)];
  }

  private opened(number: number): [string, string] {
    const nothingYet = { endedAfter: 0, handover: 0, revision: 0, used: 1, interruptions: 0, payload: null };
    const open = { kind: 'step', state: 'open', name: STEP, key: null, startedAfter: TIMES.startedAfter, ...nothingYet } as const;
    return [entryField(number), encodeEntry(open, number)];
  }
}

type JournalPage = Awaited<ReturnType<RedisStorage['runs']['readJournal']>>;
