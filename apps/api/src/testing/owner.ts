import {
  type CommitThen,
  encodeEntry,
  encodePastAttempt,
  entryField,
  type JournalEntry,
  type Lane,
  type PastAttempt,
  pastAttemptField,
  type RunStore,
  type StepEntry,
} from '@millrace/durable';
import type { MemoryStorage } from '@millrace/storage';

/** Holds the claim of a run and commits what a test says, as a worker would. */
export class Owner {
  private revision: number;

  private constructor(
    private readonly runs: RunStore,
    readonly runId: string,
    private readonly token: string,
    revision: number,
  ) {
    this.revision = revision;
  }

  /** Claims the next run of a lane. */
  static async claim(storage: MemoryStorage, lane: Lane): Promise<Owner> {
    const reader = storage.lanes([lane]);
    const [activation] = await reader.read(1);
    await reader.close();
    if (activation === undefined) throw new Error(`no activation in ${lane.workflow}`);
    const claim = { ...activation, tokenBits: 'AAAAAAAAAAA', owner: 'w1', leaseMs: 60_000, activationBudget: 5, setAsideError: '{}' };
    const [answer] = await storage.runs.claim([claim]);
    if (answer?.kind !== 'claimed') throw new Error(`claim was answered ${answer?.kind}`);
    return new Owner(storage.runs, activation.runId, answer.head.token, answer.head.revision);
  }

  /** One commit that writes these entries. Their revision is its own. */
  async commit(
    entries: ReadonlyArray<readonly [number: number, entry: JournalEntry]>,
    then: CommitThen = { kind: 'continue' },
  ): Promise<void> {
    const revision = this.revision + 1;
    const writes = entries.map(
      ([number, entry]) => [entryField(number), encodeEntry(entry.handover === 0 ? entry : { ...entry, revision }, number)] as const,
    );
    await this.write(writes, then);
  }

  async pastAttempt(number: number, past: PastAttempt): Promise<void> {
    await this.write([[pastAttemptField(number, past.attempt), encodePastAttempt(past)]], { kind: 'continue' });
  }

  async complete(output: string): Promise<void> {
    await this.write([], { kind: 'end', status: 'completed', output });
  }

  async fail(error: string): Promise<void> {
    await this.write([], { kind: 'end', status: 'failed', error });
  }

  async write(writes: ReadonlyArray<readonly [string, string]>, then: CommitThen): Promise<void> {
    const [answer] = await this.runs.commit([
      { runId: this.runId, token: this.token, revision: this.revision, writes, opens: false, then },
    ]);
    if (answer !== 'ok') throw new Error(`commit was answered ${answer}`);
    this.revision += 1;
  }
}

/** A step of a journal; completed with `null` unless said otherwise. */
export function step(name: string, handover: number, options: Partial<StepEntry> = {}): StepEntry {
  const times = { startedAfter: 5, endedAfter: 10 };
  return {
    kind: 'step',
    state: 'completed',
    name,
    key: null,
    handover,
    revision: 0,
    used: 1,
    interruptions: 0,
    payload: 'null',
    ...times,
    ...options,
  };
}
