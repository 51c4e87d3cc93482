import type { Activation, CancelRequest, Lane, RunHead, RunStatus } from '@millrace/durable';

/** A run record as the memory store keeps it: the head of the port and what only the store looks at. */
export interface MemoryRecord {
  readonly runId: string;
  readonly lane: Lane;
  readonly digest: string;
  readonly input: string;
  readonly createdAt: number;
  status: RunStatus;
  output: string | { readonly ref: number } | null;
  error: string | null;
  token: string | null;
  /** Of the last claim; orders claims for people and is compared by nobody. */
  epoch: number;
  lastToken: string | null;
  revision: number;
  inbox: string;
  activation: Activation | null;
  owner: string | null;
  wakeAt: number | null;
  deadClaims: number;
  /** Attempts open under the current token; only whether it is 0 matters. */
  openAttempts: number;
  cancel: CancelRequest | null;
  journalEnd: number;
  startedAt: number | null;
  endedAt: number | null;
  /** Journal values by field: `<number>` or `<number>!<slot>`, numbers in base 36. */
  readonly journal: Map<string, string>;
}

/** A record that cannot be read, and why. Scripts treat it as absent; lists show it. */
export interface BrokenRecord {
  readonly runId: string;
  readonly broken: string;
}

/** What a submission makes of a run that does not exist yet. It is in no lane. */
export function newRecord(run: Pick<RunHead, 'runId' | 'lane' | 'digest' | 'input' | 'createdAt'>, requestId: string): MemoryRecord {
  return {
    runId: run.runId,
    lane: { ...run.lane },
    digest: run.digest,
    input: run.input,
    createdAt: run.createdAt,
    status: 'queued',
    output: null,
    error: null,
    token: null,
    epoch: 0,
    lastToken: null,
    revision: 0,
    inbox: `0.${requestId}`,
    activation: null,
    owner: null,
    wakeAt: null,
    deadClaims: 0,
    openAttempts: 0,
    cancel: null,
    journalEnd: 0,
    startedAt: null,
    endedAt: null,
    journal: new Map(),
  };
}

/** The head as the port shows it: a copy, so that nobody outside holds the record itself. */
export function headOf(record: MemoryRecord, output: string | null = null): RunHead {
  const { epoch: _epoch, openAttempts: _openAttempts, journal: _journal, ...head } = record;
  return structuredClone({ ...head, output });
}

/** The inbox counter after a write by `requestId`: a new value whatever a lost write had made of the old one. */
export function movedInbox(inbox: string, requestId: string): string {
  return `${Number.parseInt(inbox, 10) + 1}.${requestId}`;
}

/** The random part of a claim token. */
export function tokenBitsOf(token: string): string {
  return token.slice(token.indexOf('.') + 1);
}
