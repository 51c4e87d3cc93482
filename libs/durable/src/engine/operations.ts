import { encodeEntry, type JournalEntry, type SleepEntry, type SleepState, type StepEntry, type StepState } from '../core/journal-entry.js';
import type { StepContext } from './definitions.js';
import type { ResolvedStepOptions } from './step-options.js';

/** What the body gets when an outcome is handed over. */
export interface Settler {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** A durable operation that the body asked for, with what its journal entry will say. Instants are ms after `createdAt`. */
abstract class OperationBase {
  startedAfter = 0;
  endedAfter = 0;
  handover = 0;
  /** The record has an entry of it. */
  isRecorded = false;

  constructor(
    readonly journalNumber: number,
    readonly name: string,
    readonly settler: Settler,
  ) {}

  /** A commit that wrote it was applied. */
  onRecorded(): void {
    this.isRecorded = true;
  }

  protected restoreBase(entry: JournalEntry): void {
    this.isRecorded = true;
    this.startedAfter = entry.startedAfter;
    this.endedAfter = entry.endedAfter;
  }
}

export class StepOperation extends OperationBase {
  readonly kind = 'step';
  /** `new`: asked for, no attempt opened yet. */
  state: StepState | 'new' = 'new';
  used = 0;
  interruptions = 0;
  payload: string | null = null;

  constructor(
    journalNumber: number,
    name: string,
    settler: Settler,
    readonly execute: (step: StepContext) => unknown,
    readonly options: ResolvedStepOptions,
    readonly idempotencyKey: string,
  ) {
    super(journalNumber, name, settler);
  }

  get isSettled(): boolean {
    return this.state === 'completed' || this.state === 'failed';
  }

  /** A result that is confirmed and handed over is not needed in memory any more. */
  override onRecorded(): void {
    super.onRecorded();
    if (this.handover > 0) this.payload = null;
  }

  restore(entry: StepEntry): void {
    this.restoreBase(entry);
    this.state = entry.state;
    this.used = entry.used;
    this.interruptions = entry.interruptions;
    this.payload = entry.payload;
  }

  isAskedFor(entry: JournalEntry): entry is StepEntry {
    return entry.kind === 'step' && entry.name === this.name && entry.key === this.options.key;
  }

  /** @param revision of the commit that writes it */
  encode(revision: number): string {
    const { name, startedAfter, endedAfter, handover, used, interruptions, payload } = this;
    // Never asked for while `new`: only what has an attempt is written.
    const state = this.state === 'new' ? 'abandoned' : this.state;
    const { key } = this.options;
    const written = handover === 0 ? 0 : revision;
    return encodeEntry(
      { kind: 'step', state, name, key, startedAfter, endedAfter, handover, revision: written, used, interruptions, payload },
      this.journalNumber,
    );
  }

  /** @param after when, ms after `createdAt`; it may have been due later */
  abandon(after: number): void {
    this.state = 'abandoned';
    this.endedAfter = after;
  }
}

export class SleepOperation extends OperationBase {
  readonly kind = 'sleep';
  state: SleepState | 'new' = 'new';

  constructor(
    journalNumber: number,
    name: string,
    settler: Settler,
    readonly durationMs: number,
  ) {
    super(journalNumber, name, settler);
  }

  get isSettled(): boolean {
    return this.state === 'done';
  }

  restore(entry: SleepEntry): void {
    this.restoreBase(entry);
    this.state = entry.state;
  }

  isAskedFor(entry: JournalEntry): entry is SleepEntry {
    return entry.kind === 'sleep' && entry.name === this.name;
  }

  /** @param revision of the commit that writes it */
  encode(revision: number): string {
    const { name, startedAfter, endedAfter, handover } = this;
    const state = this.state === 'new' ? 'pending' : this.state;
    const written = handover === 0 ? 0 : revision;
    return encodeEntry({ kind: 'sleep', state, name, startedAfter, endedAfter, handover, revision: written }, this.journalNumber);
  }

  /** @param after when, ms after `createdAt`; it may have been due later */
  abandon(after: number): void {
    this.state = 'abandoned';
    this.endedAfter = after;
  }
}

export type Operation = StepOperation | SleepOperation;

/** How an operation or entry is named in a `NonDeterminismError`. */
export function describeOperation(operation: Pick<Operation, 'kind' | 'name'>): string {
  return `${operation.kind} ${operation.name}`;
}
