import type { ClaimedRun, RunExit } from '../engine/engine-deps.js';

/** The worker's view of one claimed run that is being advanced; the engine's `RunExecution` has this shape. */
export interface Execution {
  /** Advances the run until the claim is over. Called once; never rejects. */
  drive(): Promise<RunExit>;
  /** The inbox counter that was last looked at. */
  readonly inbox: string;
  readonly token: string;
  /** Bytes of its input and results in memory, about. */
  readonly heldBytes: number;
  /** No function running or queued and nothing to commit: it only waits. */
  readonly isIdle: boolean;
  /** The inbox counter moved: look. */
  bell(): void;
  /** The claim is lost or must be taken for dead. */
  fence(reason: Error): void;
  /** Opens nothing more; running functions may end, then the claim is handed back. */
  stop(): void;
  /** The grace period is over: aborts signals and hands the claim back. */
  interrupt(): void;
}

export type ExecutionFactory = (claimed: ClaimedRun) => Execution;
