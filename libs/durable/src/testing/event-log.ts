import type { DurableEvent, EventSink } from '../core/events.js';
import { type SignalOptions, signalled } from './signalled.js';

/** What happened, kept for a test to look at and to wait for. */
export interface EventLog {
  /** Give this to the code under test. */
  readonly emit: EventSink;
  /** Every event, oldest first. */
  readonly events: readonly DurableEvent[];
  /** Takes the oldest untaken event of this type, of this run if one is named, waiting for it if need be. */
  waitFor(type: DurableEvent['type'], runId?: string, limit?: SignalOptions): Promise<DurableEvent>;
}

/** Makes an event sink that remembers. An event is taken once by its type alone and once by its type and run. */
export function eventLog(options: SignalOptions = {}): EventLog {
  const events: DurableEvent[] = [];
  const signals = signalled<DurableEvent>(options);
  return {
    events,
    emit(event) {
      events.push(event);
      signals.raise(event.type, event);
      if ('runId' in event) {
        signals.raise(`${event.type} of ${event.runId}`, event);
      }
    },
    waitFor: (type, runId, limit) => signals.waitFor(runId === undefined ? type : `${type} of ${runId}`, limit),
  };
}
