import { entryField } from '../core/journal-entry.js';
import type { Commit, CommitThen } from '../ports/run-store.js';
import type { Operation, StepOperation } from './operations.js';

/** Fields and characters of one commit at most: design.md allows 1,000 items or 1 MiB a script, and UTF-8 may take 3 bytes a character. */
const MAX_WRITES = 400;
const MAX_CHARACTERS = 300_000;
const NO_FIELDS: ReadonlyMap<string, string> = new Map();

/** A commit with what it stands for, so that its answer can be carried out. */
export interface Draft {
  readonly commit: Commit;
  /** Steps whose attempt it opens. */
  readonly openings: readonly StepOperation[];
  readonly operations: readonly Operation[];
  readonly fields: ReadonlyMap<string, string>;
}

interface DraftRequest {
  readonly claim: Readonly<{ runId: string; token: string; revision: number }>;
  readonly openings: readonly StepOperation[];
  /** Attempts open after the commit. */
  readonly openAttempts: number;
  readonly then: CommitThen;
}

/** What a run decided and the record does not say yet. */
export class Uncommitted {
  private operations = new Set<Operation>();
  private fields = new Map<string, string>();
  /** Lowest journal number without an entry; all below have one. */
  private contiguous = 0;
  /** Numbers above it that have one. */
  private readonly recordedAhead = new Set<number>();
  /** The highest number that has one. */
  private highest = -1;
  private hasOpenAttempts = false;

  constructor(private journalEnd: number) {}

  get isEmpty(): boolean {
    return this.operations.size === 0 && this.fields.size === 0;
  }

  /** The operation's entry changed. */
  add(operation: Operation): void {
    this.operations.delete(operation);
    this.operations.add(operation);
  }

  /** True when a commit to come writes the operation. */
  has(operation: Operation): boolean {
    return this.operations.has(operation);
  }

  /** A field beside the entries: a past attempt. */
  addField(name: string, value: string): void {
    this.fields.set(name, value);
  }

  /** The record has entries of these numbers. */
  noteRecorded(journalNumbers: Iterable<number>): void {
    for (const journalNumber of journalNumbers) {
      if (journalNumber >= this.contiguous) this.recordedAhead.add(journalNumber);
      this.highest = Math.max(this.highest, journalNumber);
    }
    while (this.recordedAhead.delete(this.contiguous)) this.contiguous += 1;
  }

  /**
   * The next commit, in the order in which things were decided. What does not fit stays for the one after; then it opens
   * nothing and `then` is `continue`, since everything before an effect must be committed first.
   */
  draft({ claim, openings, openAttempts, then }: DraftRequest): Draft {
    const fields = this.takeFields();
    const operations = this.takeOperations(MAX_WRITES - fields.size);
    const isWhole = this.isEmpty;
    const opened = isWhole ? openings : [];
    // A step that is tried again at once is in both.
    const written: ReadonlySet<Operation> = new Set<Operation>([...operations, ...opened]);
    const writes: Array<readonly [string, string]> = fields.size === 0 ? [] : [...fields];
    for (const operation of written) writes.push([entryField(operation.journalNumber), operation.encode(claim.revision + 1)]);
    const journalEnd = this.journalEndWith(written);
    const commit: Commit = {
      runId: claim.runId,
      token: claim.token,
      revision: claim.revision,
      writes,
      opens: opened.length > 0,
      // The record only needs to know whether any attempt is open: a chain of steps never writes it again.
      openAttempts: isWhole && openAttempts > 0 !== this.hasOpenAttempts ? openAttempts : undefined,
      journalEnd: journalEnd > this.journalEnd ? journalEnd : undefined,
      then: isWhole ? then : { kind: 'continue' },
    };
    return { commit, openings: opened, operations, fields };
  }

  /** The store applied the draft. */
  applied({ commit, operations, openings }: Draft): void {
    const written = [...operations, ...openings];
    this.noteRecorded(written.map((operation) => operation.journalNumber));
    for (const operation of written) operation.onRecorded();
    this.journalEnd = commit.journalEnd ?? this.journalEnd;
    if (commit.openAttempts !== undefined) this.hasOpenAttempts = commit.openAttempts > 0;
  }

  /** The store refused the draft and wrote nothing: what it held comes before what was decided since. */
  refused({ operations, fields }: Draft): void {
    this.operations = new Set([...operations, ...this.operations]);
    this.fields = new Map([...fields, ...this.fields]);
  }

  private takeFields(): ReadonlyMap<string, string> {
    if (this.fields.size === 0) return NO_FIELDS;
    const taken = new Map([...this.fields].slice(0, MAX_WRITES / 2));
    for (const name of taken.keys()) this.fields.delete(name);
    return taken;
  }

  private takeOperations(most: number): Operation[] {
    const taken: Operation[] = [];
    let characters = 0;
    for (const operation of this.operations) {
      characters += operation.kind === 'step' ? (operation.payload?.length ?? 0) : 0;
      if (taken.length >= most || (taken.length > 0 && characters > MAX_CHARACTERS)) break;
      taken.push(operation);
    }
    for (const operation of taken) this.operations.delete(operation);
    return taken;
  }

  /** Numbers below the journal's end may have holes: readers must not stop at one. */
  private journalEndWith(written: Iterable<Operation>): number {
    const added = new Set<number>();
    let { contiguous, highest } = this;
    for (const { journalNumber } of written) {
      if (journalNumber >= contiguous) added.add(journalNumber);
      highest = Math.max(highest, journalNumber);
    }
    while (added.has(contiguous) || this.recordedAhead.has(contiguous)) contiguous += 1;
    return highest >= contiguous ? Math.max(this.journalEnd, highest + 1) : this.journalEnd;
  }
}
