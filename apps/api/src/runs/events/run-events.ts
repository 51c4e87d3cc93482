import { type Clock, isTerminal, StoreUnavailable } from '@millrace/durable';
import type { OpenNamespace } from '../../namespaces/namespaces.js';
import { timesView } from '../step-view.js';
import { type EventPosition, formatEventId } from './event-id.js';
import { type CommittedOutcomes, OutcomeReader } from './outcome-reader.js';
import { ProgressMailbox, type RunProgress } from './progress-mailbox.js';

/** What a stream of a run's events is made of. */
export interface RunEventsParams {
  readonly namespace: Pick<OpenNamespace, 'watcher' | 'storage'>;
  readonly clock: Clock;
  readonly run: { readonly runId: string; readonly createdAt: number };
  /** Where the client stopped reading; null begins at the beginning. */
  readonly after: EventPosition | null;
  /** Ends the stream: the client left, or the service stops. */
  readonly signal: AbortSignal;
}

type Progress = NonNullable<RunProgress>;

/** A comment is sent after so much silence, so that proxies and clients see that the stream lives. */
const HEARTBEAT_MS = 15_000;
const RETRY_HINT = 'retry: 1000\n';

/**
 * The events of one run as text of an event stream, derived from its record: `status` when it changed, `steps` for every commit
 * that confirmed outcomes (the id is its revision; one event a commit, so that a resumed stream misses and repeats none), `end`
 * last. `resync` says that the record went back behind what the client has read: everything comes anew. `gone`: it was deleted.
 */
export async function* runEvents(params: RunEventsParams): AsyncGenerator<string> {
  const { clock, signal } = params;
  const stream = new RunEventStream(params);
  const mailbox = new ProgressMailbox(params.namespace.watcher, params.run.runId, clock);
  try {
    yield `${RETRY_HINT}\n`;
    for (let heartbeatAt = clock.monotonic() + HEARTBEAT_MS; !stream.isEnded; ) {
      const arrival = await mailbox.take(heartbeatAt - clock.monotonic(), signal);
      if (arrival.kind === 'aborted') {
        yield `${RETRY_HINT}: the service stops, come back to another\n\n`;
        return;
      }
      let isSilent = true;
      if (arrival.kind === 'progress') {
        for await (const text of stream.tell(arrival.progress)) {
          isSilent = false;
          yield text;
        }
      }
      // Most progress is none: the run is read every second, and a reader must see more of the stream than that.
      if (isSilent && clock.monotonic() < heartbeatAt) continue;
      if (isSilent) yield ': heartbeat\n\n';
      heartbeatAt = clock.monotonic() + HEARTBEAT_MS;
    }
  } finally {
    mailbox.close();
  }
}

class RunEventStream {
  isEnded = false;
  private revision: number;
  private toldStatus = '';
  private readonly reader: OutcomeReader;

  constructor(private readonly params: RunEventsParams) {
    this.revision = params.after?.revision ?? 0;
    this.reader = new OutcomeReader(params.namespace.storage.inspector, params.run.runId);
  }

  async *tell(progress: RunProgress): AsyncGenerator<string> {
    if (progress === null) {
      yield* this.end('gone', {});
      return;
    }
    if (progress.revision < this.revision) yield this.resync(progress);
    const isOver = isTerminal(progress.status);
    if (!isOver) yield* this.tellStatus(progress);
    if (await this.canCatchUp(progress)) yield* this.tellOutcomes(progress);
    else return;
    if (isOver) yield* this.end('end', statusData(progress));
  }

  private outcomes: readonly CommittedOutcomes[] = [];

  /** False when the store did not answer: the next progress tries again from the same place. */
  private async canCatchUp({ revision, journalEnd }: Progress): Promise<boolean> {
    this.outcomes = [];
    if (revision === this.revision) return true;
    try {
      this.outcomes = await this.reader.read(this.revision, revision, journalEnd);
      return true;
    } catch (error) {
      if (error instanceof StoreUnavailable) return false;
      throw error;
    }
  }

  private *tellOutcomes(progress: Progress): Generator<string> {
    for (const { revision, outcomes } of this.outcomes) {
      this.revision = revision;
      yield this.event('steps', {
        revision,
        steps: outcomes.map(([number, entry]) => outcomeData(this.params.run.createdAt, number, entry)),
      });
    }
    this.revision = progress.revision;
  }

  private *tellStatus(progress: Progress): Generator<string> {
    const data = statusData(progress);
    const status = `${data.status} ${data.cancelling}`;
    if (status === this.toldStatus) return;
    this.toldStatus = status;
    yield this.event('status', data);
  }

  private resync({ revision }: Progress): string {
    const readUpTo = this.revision;
    this.revision = 0;
    this.toldStatus = '';
    this.reader.rewind();
    return this.event('resync', { readUpTo, revision });
  }

  private *end(type: 'end' | 'gone', data: object): Generator<string> {
    this.isEnded = true;
    yield this.event(type, data, true);
  }

  private event(type: string, data: object, isEnd = false): string {
    const id = formatEventId({ revision: this.revision, isEnd });
    return `event: ${type}\nid: ${id}\ndata: ${JSON.stringify({ runId: this.params.run.runId, ...data })}\n\n`;
  }
}

function statusData({ status, revision, cancel }: Progress) {
  return { status, cancelling: cancel !== null && !isTerminal(status), revision };
}

/** Results are not in the stream: a client that wants one reads the steps. */
function outcomeData(createdAt: number, number: number, entry: CommittedOutcomes['outcomes'][number][1]) {
  const { kind, name, state } = entry;
  const { startedAt, endedAt } = timesView(createdAt, entry);
  return { number, kind, name, state, attempts: entry.kind === 'step' ? entry.used : 0, startedAt, endedAt };
}
