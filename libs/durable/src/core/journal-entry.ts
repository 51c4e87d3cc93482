/**
 * One journal entry: what the record says of one durable operation of a body. Stored as
 * `<mark><numbers>;<name>[#<key>];<payload>`, the numbers in base 36 and separated by commas, those at their default
 * left out at the end. Instants are offsets from the run's `createdAt`, so that a tiny step costs a few bytes.
 */
export type JournalEntry = StepEntry | SleepEntry;

export type StepState = 'open' | 'retrying' | 'completed' | 'failed' | 'abandoned';
export type SleepState = 'pending' | 'done' | 'abandoned';

interface EntryBase {
  readonly name: string;
  /** Ms after the run's `createdAt`. Of a step: when its last attempt was opened. */
  readonly startedAfter: number;
  /** Open: 0. Retrying and pending: when it is due. Otherwise: when it ended. Ms after the run's `createdAt`. */
  readonly endedAfter: number;
  /** Which outcome this was, 1 for the first handed to the body; 0 when it was not handed over. */
  readonly handover: number;
  /** Revision of the commit that wrote the outcome; 0 before. */
  readonly revision: number;
}
export interface StepEntry extends EntryBase {
  readonly kind: 'step';
  readonly state: StepState;
  /** Identity of its own, when the author gave one. */
  readonly key: string | null;
  /** Attempts used, crashes included. */
  readonly used: number;
  /** Attempts that a graceful stop interrupted and gave back. */
  readonly interruptions: number;
  /** Result (completed) or error (failed). */
  readonly payload: string | null;
}
export interface SleepEntry extends EntryBase {
  readonly kind: 'sleep';
  readonly state: SleepState;
}

const marks: Readonly<
  Record<string, { readonly kind: 'step'; readonly state: StepState } | { readonly kind: 'sleep'; readonly state: SleepState }>
> = {
  o: { kind: 'step', state: 'open' },
  r: { kind: 'step', state: 'retrying' },
  '+': { kind: 'step', state: 'completed' },
  '-': { kind: 'step', state: 'failed' },
  a: { kind: 'step', state: 'abandoned' },
  s: { kind: 'sleep', state: 'pending' },
  z: { kind: 'sleep', state: 'done' },
  b: { kind: 'sleep', state: 'abandoned' },
};
const markOf: Readonly<Record<'step' | 'sleep', Record<string, string>>> = { step: {}, sleep: {} };
for (const [mark, { kind, state }] of Object.entries(marks)) markOf[kind][state] = mark;

/** @param journalNumber the entry's own: the k-th outcome is mostly that of entry k − 1, and then costs nothing */
export function encodeEntry(entry: JournalEntry, journalNumber: number): string {
  const mark = markOf[entry.kind][entry.state];
  const payload = entry.kind === 'step' && entry.payload !== null ? `;${entry.payload}` : '';
  return `${mark}${encodeNumbers(entry, journalNumber)};${nameOf(entry)}${payload}`;
}

function nameOf(entry: JournalEntry): string {
  return entry.kind === 'step' && entry.key !== null ? `${entry.name}#${entry.key}` : entry.name;
}

function encodeNumbers(entry: JournalEntry, journalNumber: number): string {
  const { endedAfter, startedAfter, handover } = entry;
  const numbers: Six = [
    Math.max(0, startedAfter),
    entry.state === 'open' ? 0 : Math.max(0, endedAfter - startedAfter),
    handover,
    // In a sequence the k-th outcome is written by commit k + 1, and one is what most entries have here.
    handover === 0 ? 1 : entry.revision - handover,
    entry.kind === 'step' ? entry.used : 1,
    entry.kind === 'step' ? entry.interruptions : 0,
  ];
  const defaults = defaultsOf(entry, journalNumber);
  let last = numbers.length - 1;
  while (last > 0 && numbers[last] === defaults[last]) last -= 1;
  let text = numbers[0].toString(36);
  for (let i = 1; i <= last; i += 1) text += `,${(numbers[i] as number).toString(36)}`;
  return text;
}

/** Started, duration, hand-over, revision − hand-over, attempts used, interruptions; of an outcome or of something still open. */
function defaultsOf({ state }: { readonly state: JournalEntry['state'] }, journalNumber: number): Six {
  const isOutcome = state === 'completed' || state === 'failed' || state === 'done';
  return [Number.NaN, 0, isOutcome ? journalNumber + 1 : 0, 1, 1, 0];
}
type Six = [number, number, number, number, number, number];

/**
 * The inverse of {@link encodeEntry}; null when the text is no entry (a record broken by hand). A long journal is decoded by a
 * process that has just started: each entry is read in one pass, without lists in between, and all of a kind have one shape.
 * @param journalNumber the entry's own
 */
export function decodeEntry(text: string, journalNumber: number): JournalEntry | null {
  const mark = marks[text.charAt(0)];
  const nameAt = text.indexOf(';') + 1;
  if (!mark || nameAt === 0) return null;
  const numbers = defaultsOf(mark, journalNumber);
  if (!readNumbers(text, nameAt - 1, numbers)) return null;
  const [startedAfter, duration, handover, revisionAhead, used, interruptions] = numbers;
  const endedAfter = mark.state === 'open' ? 0 : startedAfter + duration;
  const revision = handover === 0 ? 0 : handover + revisionAhead;
  const payloadAt = text.indexOf(';', nameAt);
  const label = payloadAt < 0 ? text.slice(nameAt) : text.slice(nameAt, payloadAt);
  const [name, key = null] = label.includes('#') ? (label.split('#') as [string, string]) : [label];
  if (mark.kind === 'sleep') return { kind: 'sleep', state: mark.state, name, startedAfter, endedAfter, handover, revision };
  const payload = payloadAt < 0 ? null : text.slice(payloadAt + 1);
  return { kind: 'step', state: mark.state, name, startedAfter, endedAfter, handover, revision, key, used, interruptions, payload };
}

const COMMA = 0x2c;
const MINUS = 0x2d;

/** Puts the numbers that stand between the mark and `end` in the place of the first defaults; false when there is something else. */
function readNumbers(text: string, end: number, numbers: Six): boolean {
  let index = 0;
  let sign = 1;
  let digits = 0;
  let value = 0;
  for (let at = 1; at <= end; at += 1) {
    const code = at === end ? COMMA : text.charCodeAt(at);
    if (code === COMMA) {
      if (digits === 0 || value > Number.MAX_SAFE_INTEGER) return false;
      if (index < numbers.length) numbers[index] = sign * value;
      index += 1;
      sign = 1;
      digits = 0;
      value = 0;
    } else if (code === MINUS && digits === 0 && sign === 1) {
      sign = -1;
    } else {
      const digit = digitOf(code);
      if (digit < 0) return false;
      digits += 1;
      value = value * 36 + digit;
    }
  }
  return true;
}

/** Of base 36 and a character code; −1 when it is none. */
function digitOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  return code >= 0x61 && code <= 0x7a ? code - 0x61 + 10 : -1;
}

/** Name of the record field of an entry. */
export const entryField = (journalNumber: number): string => journalNumber.toString(36);

/** One past attempt of a step, kept for operators. */
export interface PastAttempt {
  /** 1 for the first. */
  readonly attempt: number;
  readonly outcome: 'failed' | 'interrupted' | 'worker-lost';
  readonly startedAfter: number;
  readonly endedAfter: number;
  /** What the engine has to say beside it: a backoff function that gave nonsense. */
  readonly note: string | null;
  /** Stored error text, cut to 2 KiB. */
  readonly error: string;
}

/** Of a step's past attempts the first three are kept and the last seven: slots 1–3, then a ring. */
const FIRST_KEPT = 3;
const LAST_KEPT = 7;

/** Name of the record field of a past attempt. `execution`: attempts and interruptions counted together, 1 for the first. */
export function pastAttemptField(journalNumber: number, execution: number): string {
  const slot = execution <= FIRST_KEPT ? execution : FIRST_KEPT + 1 + ((execution - FIRST_KEPT - 1) % LAST_KEPT);
  return `${entryField(journalNumber)}!${slot}`;
}

/** How many past attempts have fields at most: {@link pastAttemptField} never names a higher slot. */
export const PAST_ATTEMPTS_KEPT = FIRST_KEPT + LAST_KEPT;

const outcomeMarks = { f: 'failed', i: 'interrupted', w: 'worker-lost' } as const;

export function encodePastAttempt(past: PastAttempt): string {
  const numbers = [past.attempt, past.startedAfter, Math.max(0, past.endedAfter - past.startedAfter)];
  return `${past.outcome.charAt(0)}${numbers.map((n) => n.toString(36)).join()};${past.note?.replaceAll(';', ',') ?? ''};${past.error}`;
}

/** Null when the text is no past attempt. */
export function decodePastAttempt(text: string): PastAttempt | null {
  const match = /^([fiw])([0-9a-z]+),([0-9a-z]+),([0-9a-z]+);([^;]*);/.exec(text);
  if (!match) return null;
  const [attempt, startedAfter, duration] = match.slice(2, 5).map((part) => Number.parseInt(part, 36)) as [number, number, number];
  return {
    attempt,
    outcome: outcomeMarks[match[1] as keyof typeof outcomeMarks],
    startedAfter,
    endedAfter: startedAfter + duration,
    note: match[5] || null,
    error: text.slice(match[0].length),
  };
}
