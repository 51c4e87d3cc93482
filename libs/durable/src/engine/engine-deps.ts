import type { ResolvedBackoff } from '../core/backoff.js';
import type { EventSink } from '../core/events.js';
import type { RunHead } from '../core/run-record.js';
import type { RunStatus } from '../core/run-status.js';
import type { Clock, Randomness } from '../ports/clock.js';
import type { Codec, ErrorCodec } from '../ports/codec.js';
import type { RunStore } from '../ports/run-store.js';
import type { ClaimGuard, ServerClock } from './claim-guard.js';
import type { TaskDefinition, WorkflowDefinition } from './definitions.js';
import type { FunctionSlots } from './function-slots.js';

/** Resolved options of the engine; durations in ms. */
export interface EngineOptions {
  readonly leaseMs: number;
  /** A wait that is due within this time is waited for under the claim; a longer one parks the run. */
  readonly lingerMs: number;
  /** How many interrupted attempts of a step a graceful stop gives back. */
  readonly interruptions: number;
  /** How long cancel waits for running functions, and how long an abandoned function keeps its slot. */
  readonly abandonMs: number;
  /** Defaults of steps that say nothing. */
  readonly attempts: number;
  readonly backoff: ResolvedBackoff;
}

/** What every run of a worker shares. */
export interface EngineDeps {
  readonly store: RunStore;
  readonly codec: Codec & ErrorCodec;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly serverClock: ServerClock;
  readonly slots: FunctionSlots;
  readonly tasks: ReadonlyMap<string, TaskDefinition>;
  readonly options: EngineOptions;
  readonly emit: EventSink;
  /** The claim goes on under another token: heartbeats must carry it. */
  readonly onTokenChanged: (runId: string, token: string) => void;
}

export interface ClaimedRun {
  readonly head: RunHead & { readonly token: string };
  readonly workflow: WorkflowDefinition;
  readonly guard: ClaimGuard;
}

/**
 * How a worker's work on a claimed run ended. `lost`: the claim is somebody else's or taken for dead. `failed`: the store
 * refused for good, or a fault of ours: the claim is left to lapse and charged.
 */
export type RunExit =
  | { readonly kind: 'ended'; readonly status: RunStatus }
  | { readonly kind: 'parked' }
  | { readonly kind: 'released' }
  | { readonly kind: 'lost' }
  | { readonly kind: 'failed'; readonly error: Error };
