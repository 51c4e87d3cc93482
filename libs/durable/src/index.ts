export { asError } from './core/as-error.js';
export {
  type BackoffAnswer,
  type BackoffFunction,
  type BackoffOptions,
  type BackoffPolicy,
  defaultBackoff,
  type ResolvedBackoff,
} from './core/backoff.js';
export { type Duration, durationFault, durationMs, parseDuration } from './core/durations.js';
export { type ErrorCode, type ErrorCodeEntry, errorCodes } from './core/error-codes.js';
export {
  /** @public */
  AbortedByClaimLoss,
  /** @public */
  ClaimLost,
  ConfigurationError,
  /** @public */
  IdempotencyConflict,
  InvalidInput,
  /** @public */
  NonDeterminismError,
  NonRetryable,
  PayloadError,
  /** @public */
  RunCancelled,
  RunNotFound,
  StepFailed,
  /** @public */
  StepInterrupted,
  /** @public */
  StepTimeout,
  StoreUnavailable,
  /** @public */
  TaskNotServed,
  /** @public */
  UnknownWorkflow,
  /** @public */
  WorkerLost,
  type PayloadErrorCode,
  type Problem,
} from './core/errors.js';
export { type DurableEvent, type EventSink } from './core/events.js';
export { graph, type GraphBuilder, type NodeHandle, type NodeOptions, type TaskReference } from './core/graph-builder.js';
export { toMermaid } from './core/graph-mermaid.js';
export { type GraphIndex, graphLevels, readyOrder, sinksOf } from './core/graph-order.js';
export { type GraphLimits, validateGraph } from './core/graph-validation.js';
export { type Graph, GRAPH_WORKFLOW, type GraphNode, type NodeState } from './core/graph.js';
export { assertNamespace, identifierFault, type IdentifierKind, isIdentifier, isNamespace } from './core/identifiers.js';
export {
  decodeEntry,
  decodePastAttempt,
  encodeEntry,
  encodePastAttempt,
  entryField,
  type JournalEntry,
  PAST_ATTEMPTS_KEPT,
  type PastAttempt,
  pastAttemptField,
  type SleepEntry,
  type SleepState,
  type StepEntry,
  type StepState,
} from './core/journal-entry.js';
export { type Lane, laneName, parseLane } from './core/lane.js';
export { MillraceError, type MillraceErrorOptions } from './core/millrace-error.js';
export { type Activation, type CancelRequest, type RunHead } from './core/run-record.js';
export { isClosed, isTerminal, type RunStatus, runStatuses } from './core/run-status.js';
export { systemClock } from './core/system-clock.js';
export { systemRandomness } from './core/system-randomness.js';
export { type Clock, type Randomness } from './ports/clock.js';
export { type Codec, type ErrorCodec } from './ports/codec.js';
export {
  type Inspector,
  type ListedRun,
  type ListQuery,
  type ReadPayloads,
  type RunEvent,
  type RunFeed,
  type RunRow,
} from './ports/inspector.js';
export { type WorkerAnnouncement, type WorkerRegistry, type WorkflowAnnouncement } from './ports/registry.js';
export {
  type Bells,
  type CancelAnswer,
  type ClaimAnswer,
  type ClaimRequest,
  type Commit,
  type CommitAnswer,
  type CommitThen,
  type DeliveredActivation,
  type HeartbeatAnswer,
  type HeldClaim,
  type InboxView,
  type JournalPage,
  type LaneReader,
  type PumpAnswer,
  type RunStore,
  type SubmitAnswer,
  type SubmitRequest,
} from './ports/run-store.js';
export { type ClaimGuard, type ServerClock } from './engine/claim-guard.js';
export { type InputType, task, type TaskOptions, workflow, type WorkflowOptions } from './engine/define.js';
export {
  type RunContext,
  type StepContext,
  type StepOptions,
  type TaskCallOptions,
  type TaskContext,
  type TaskDefinition,
  type WorkflowDefinition,
} from './engine/definitions.js';
export { type ClaimedRun, type EngineDeps, type EngineOptions, type RunExit } from './engine/engine-deps.js';
export { FunctionSlots } from './engine/function-slots.js';
export { graphDataWorkflow, type GraphOutput, graphWorkflow } from './engine/graph-workflow.js';
export { RunExecution } from './engine/run-execution.js';
export { type ResolvedStepOptions } from './engine/step-options.js';
export { type AnnouncerParams } from './worker/announcer.js';
export { type ClaimerParams, pause } from './worker/claimer.js';
export { type Execution, type ExecutionFactory } from './worker/execution.js';
export {
  type AddedClaim,
  type BeatingClaim,
  type ClaimListener,
  type Heartbeats,
  type HeartbeatsFactory,
  type HeartbeatsParams,
} from './worker/heartbeats.js';
export { type HeldRunsParams } from './worker/held-runs.js';
export { type InProcessHeartbeatsParams } from './worker/in-process-heartbeats.js';
export { type HostFacts, type ProcessState } from './worker/incarnation.js';
export { type IntakeParams } from './worker/intake.js';
export { Outage } from './worker/outage.js';
export { type PeriodicLoopParams } from './worker/periodic-loop.js';
export { type PumpLoopParams } from './worker/pump-loop.js';
export { type RoomParams } from './worker/room.js';
export { type Served } from './worker/served.js';
export { type ShutdownParams } from './worker/shutdown.js';
export { createWorker, startWorker, type StartWorkerParams } from './worker/start-worker.js';
export { type TakeBackParams } from './worker/take-back.js';
export {
  LEASE_MARGIN_MS,
  type ResolvedWorkerOptions,
  resolveWorkerOptions,
  type WorkerOptions,
  type WorkerOptionsContext,
} from './worker/worker-options.js';
export { type RecordRepair, type WorkerCodec, type WorkerStorage } from './worker/worker-storage.js';
export { Worker, type WorkerHealth, type WorkerParams } from './worker/worker.js';
export { type DigestedRequest } from './client/request-digest.js';
export { RunClient, type RunClientDeps, type Submitted, type WaitOptions } from './client/run-client.js';
export { RunWatcher, type RunWatcherDeps } from './client/run-watcher.js';
export { type CheckedSubmission, type GraphSubmission, type SubmitRun, type WorkflowSubmission } from './client/submission.js';
export { type WantedWorkflow } from './client/workflow-catalog.js';
export { type EventLogger, logEvents, type LogLevel } from './observe/log-subscriber.js';
export { redactCredentials } from './observe/redact.js';
