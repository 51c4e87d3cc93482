import { decodeEntry, decodePastAttempt, type JournalEntry } from '@millrace/durable';
import type { PastAttemptDto, StepDto } from './step.dto.js';
import { errorView, type PayloadReader, payloadView } from './stored-view.js';

/** A journal entry as the store keeps it, with the past attempts of its step. */
export interface StoredStep {
  readonly number: number;
  readonly value: string;
  readonly pastAttempts: readonly string[];
}

/** A step as the API shows it. An entry that cannot be read is shown as such. */
export function stepView(codec: PayloadReader, createdAt: number, { number, value, pastAttempts }: StoredStep): StepDto {
  const entry = decodeEntry(value, number);
  if (entry === null) return unreadable(number);
  const isStep = entry.kind === 'step';
  const result = payloadView(codec, isStep && entry.state === 'completed' ? entry.payload : null, 'result');
  return {
    number,
    kind: entry.kind,
    name: entry.name,
    key: isStep ? entry.key : null,
    state: entry.state,
    attempts: isStep ? entry.used : 0,
    interruptions: isStep ? entry.interruptions : 0,
    ...timesView(createdAt, entry),
    result: result.value,
    error: errorView(codec, isStep && entry.state === 'failed' ? entry.payload : null),
    pastAttempts: pastAttempts.flatMap((text) => pastAttemptView(codec, createdAt, text)).sort((a, b) => a.attempt - b.attempt),
    broken: result.broken,
  };
}

/** Start, end and due time of an entry: its second instant is one or the other by its state. */
export function timesView(
  createdAt: number,
  { state, startedAfter, endedAfter }: JournalEntry,
): Pick<StepDto, 'startedAt' | 'endedAt' | 'dueAt'> {
  const second = new Date(createdAt + endedAfter).toISOString();
  const isDue = state === 'retrying' || state === 'pending';
  return {
    startedAt: new Date(createdAt + startedAfter).toISOString(),
    endedAt: isDue || state === 'open' ? null : second,
    dueAt: isDue ? second : null,
  };
}

function pastAttemptView(codec: PayloadReader, createdAt: number, text: string): PastAttemptDto[] {
  const past = decodePastAttempt(text);
  if (past === null) return [];
  const { attempt, outcome, note, startedAfter, endedAfter } = past;
  const startedAt = new Date(createdAt + startedAfter).toISOString();
  const endedAt = new Date(createdAt + endedAfter).toISOString();
  return [{ attempt, outcome, note, startedAt, endedAt, error: errorView(codec, past.error) }];
}

function unreadable(number: number): StepDto {
  const absent = { name: null, key: null, state: null, startedAt: null, endedAt: null, dueAt: null, result: null, error: null };
  return { number, kind: 'unreadable', ...absent, attempts: 0, interruptions: 0, pastAttempts: [], broken: 'the entry cannot be read' };
}
