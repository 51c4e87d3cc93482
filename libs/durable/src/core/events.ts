import type { RunStatus } from './run-status.js';

interface OfRun {
  readonly runId: string;
  readonly workflow: string;
}
interface OfStep extends OfRun {
  readonly step: string;
  readonly attempt: number;
}

/** What happened, in the past tense. The library never logs: subscribers make logs, metrics and traces of these. */
export type DurableEvent =
  | ({ readonly type: 'run.claimed'; readonly epoch: number } & OfRun)
  | ({ readonly type: 'run.parked'; readonly wakeAt: number | null } & OfRun)
  | ({ readonly type: 'run.released' } & OfRun)
  | ({ readonly type: 'run.ended'; readonly status: RunStatus; readonly error: string | null } & OfRun)
  | ({ readonly type: 'run.abandoned'; readonly error: Error } & OfRun)
  | ({ readonly type: 'claim.lost'; readonly reason: string } & OfRun)
  | ({ readonly type: 'claim.renewed' } & OfRun)
  | ({ readonly type: 'step.started' } & OfStep)
  | ({ readonly type: 'step.completed'; readonly durationMs: number } & OfStep)
  | ({ readonly type: 'step.failed'; readonly error: string; readonly retryInMs: number | null } & OfStep)
  | ({ readonly type: 'step.late'; readonly outcome: 'returned' | 'threw' } & OfStep)
  | { readonly type: 'worker.started'; readonly incarnation: string }
  | { readonly type: 'worker.stopped'; readonly incarnation: string; readonly clean: boolean }
  | { readonly type: 'claims.buried'; readonly count: number; readonly setAside: readonly string[] }
  | { readonly type: 'claims.taken-back'; readonly count: number; readonly from: string }
  | { readonly type: 'record.repaired'; readonly runId: string; readonly fault: string; readonly repair: string }
  | { readonly type: 'loop.failed'; readonly loop: string; readonly error: Error; readonly retryInMs: number }
  | { readonly type: 'loop.recovered'; readonly loop: string }
  | { readonly type: 'heartbeat.stalled'; readonly blockedMs: number };

export type EventSink = (event: DurableEvent) => void;
