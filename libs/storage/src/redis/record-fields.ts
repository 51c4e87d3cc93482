import { parseLane, type Activation, type CancelRequest, type RunHead, type RunStatus } from '@millrace/durable';

/** Head fields in the order of scripts/lib/head.lua. */
const HEAD_FIELDS = ['F', 'S', 'L', 'D', 'I', 'Y', 'Z', 'T', 'V', 'R', 'N', 'A', 'O', 'U', 'K', 'X', 'J', 'C', 'B', 'E'] as const;

const statusLetters = {
  q: 'queued',
  r: 'running',
  w: 'waiting',
  c: 'completed',
  f: 'failed',
  x: 'cancelled',
  a: 'set-aside',
} as const satisfies Record<string, RunStatus>;
type StatusLetter = keyof typeof statusLetters;

const letters = new Map<RunStatus, StatusLetter>(Object.entries(statusLetters).map(([letter, status]) => [status, letter as StatusLetter]));

/** The status that a record's letter stands for; null when it is none. */
export function statusOf(letter: string | null | undefined): RunStatus | null {
  return statusLetters[letter as StatusLetter] ?? null;
}

/** The letter of a status in a record. */
export function letterOf(status: RunStatus): StatusLetter {
  return letters.get(status) as StatusLetter;
}

/** What Redis answers for a field: its text, or null when the record has none. */
export type FieldValue = string | null | undefined;

/** Named values of a record, as an HMGET over `names` answered them. */
export function namedFields<Name extends string>(names: readonly Name[], values: readonly FieldValue[]): Record<Name, string | null> {
  const fields = {} as Record<Name, string | null>;
  for (const [i, name] of names.entries()) fields[name] = values[i] || null;
  return fields;
}

/** Reads a head. A text says why the record cannot be read: a field is gone or is none that this version writes. */
export function parseHead(runId: string, values: readonly FieldValue[]): RunHead | string {
  const fields = namedFields(HEAD_FIELDS, values);
  if (fields.F === null || fields.S === null || fields.L === null) return 'a field of the head is missing';
  const status = statusOf(fields.S);
  const lane = parseLane(fields.L);
  if (status === null) return `${JSON.stringify(fields.S)} is no status`;
  if (lane === null) return `${JSON.stringify(fields.L)} is no lane`;
  return {
    runId,
    status,
    lane,
    digest: fields.D ?? '',
    input: fields.I ?? '',
    output: fields.Y,
    error: fields.Z,
    token: fields.T,
    lastToken: fields.V,
    revision: numberOr(0, fields.R),
    inbox: fields.N ?? '',
    activation: parseActivation(fields.A),
    owner: fields.O,
    wakeAt: instant(fields.U),
    deadClaims: numberOr(0, fields.K),
    cancel: parseCancel(fields.X),
    journalEnd: numberOr(0, fields.J),
    createdAt: numberOr(0, fields.C),
    startedAt: instant(fields.B),
    endedAt: instant(fields.E),
  };
}

/** `<request id> <at> <reason>`; null when there is no request. */
export function parseCancel(text: string | null): CancelRequest | null {
  const match = /^(\S+) (\d+) (.*)$/s.exec(text ?? '');
  return match === null ? null : { requestId: match[1] ?? '', at: Number(match[2]), reason: match[3] ?? '' };
}

/** `<entry id> <bits>`; null when the record names no activation. */
function parseActivation(text: string | null): Activation | null {
  const [entryId, bits] = (text ?? '').split(' ');
  return entryId && bits ? { entryId, bits } : null;
}

/** A number of a record; `missing` when the field is absent or no number. */
export function numberOr(missing: number, text: string | null | undefined): number {
  const value = Number(text ?? '');
  return text && Number.isSafeInteger(value) ? value : missing;
}

/** An instant of a record, null when the field is absent or no number. */
export function instant(text: string | null | undefined): number | null {
  return text && /^\d+$/.test(text) ? Number(text) : null;
}
