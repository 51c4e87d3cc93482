import { asError } from '../core/as-error.js';
import { defaultBackoff } from '../core/backoff.js';
import { parseDuration } from '../core/durations.js';
import { InvalidInput, NonDeterminismError, StepFailed, TaskNotServed } from '../core/errors.js';
import { assertIdentifier } from '../core/identifiers.js';
import type { JournalEntry } from '../core/journal-entry.js';
import { nearNames } from '../core/near-names.js';
import { taskContext } from './attempt-context.js';
import { BodyContext } from './body-context.js';
import type { RunContext, StepContext, StepOptions, TaskCallOptions } from './definitions.js';
import type { ClaimedRun, EngineDeps } from './engine-deps.js';
import type { Journal } from './journal.js';
import { describeOperation, type Operation, type Settler, SleepOperation, StepOperation } from './operations.js';
import { type ResolvedStepOptions, resolveStepOptions } from './step-options.js';
import type { AttemptOutcome } from './step-attempt.js';

interface BodyEvents {
  /** The replay is over and the operation has no outcome. */
  readonly activate: (operation: Operation) => void;
  /** A new outcome was handed over; its number must be committed before any effect that follows. */
  readonly onHandedOver: (operation: Operation) => void;
  /** A confirmed outcome was handed over again. */
  readonly onReplayed: (operation: Operation) => void;
  /** The body has taken in what it was given, and asked for what it asks. */
  readonly onQuiet: () => void;
  /** The body does not fit its journal, or the journal cannot be read. */
  readonly onFault: (error: Error) => void;
}

/**
 * Runs a body and hands it **one outcome a turn**, live and in replay alike: one outcome is handed over, the microtask queue
 * is drained, then the next. Each gets the next hand-over number, and a replay hands over in the order of these numbers;
 * so parallel branches, races and repeated names meet the same interleaving again.
 */
export class BodyReplay {
  /** How the body ended, null while it goes on. */
  result: AttemptOutcome | null = null;

  private readonly operations: Operation[] = [];
  /** Live outcomes that are not handed over yet. */
  private readonly outcomes: Operation[] = [];
  private readonly occurrences = new Map<string, number>();
  private readonly keys = new Set<string>();
  /** Of steps that say nothing. */
  private sharedOptions: ResolvedStepOptions | null = null;
  private readonly context: BodyContext;
  private handover = 0;
  private isReplaying = true;
  private isDraining = false;
  private isAborted = false;

  constructor(
    private readonly deps: EngineDeps,
    private readonly claimed: ClaimedRun,
    private readonly journal: Journal,
    private readonly events: BodyEvents,
  ) {
    this.context = new BodyContext(claimed.head, {
      step: (name, execute, options) => this.askStep(name, execute, options),
      sleep: (name, duration) => this.askSleep(name, duration),
      task: (name, task, input, options) => this.askTask(name, task, input, options),
    });
  }

  /** True while it replays or takes in an outcome: what it will ask for is not known yet. */
  get isTakingIn(): boolean {
    return !this.isAborted && (this.isReplaying || this.isDraining);
  }

  /** True while it takes in an outcome or has outcomes to take in. */
  get isBusy(): boolean {
    return this.isTakingIn || (!this.isAborted && this.result === null && this.outcomes.length > 0);
  }

  start(): void {
    const { head, workflow } = this.claimed;
    const end = (result: AttemptOutcome) => {
      this.result = result;
      this.drain();
    };
    const run = async (context: RunContext) => workflow.run(context, workflow.parseInput(this.deps.codec.decode(head.input)));
    run(this.context).then(
      (value) => end({ kind: 'returned', value }),
      (error: unknown) => end({ kind: 'threw', error }),
    );
    this.drain();
  }

  /** A live operation has its outcome. */
  hasOutcome(operation: Operation): void {
    this.outcomes.push(operation);
    if (!this.isTakingIn) this.handOverNext();
  }

  /** Nothing more is handed over. */
  freeze(): void {
    this.isAborted = true;
  }

  /** Nothing more is handed over; the run's signal is aborted. */
  abort(reason: Error): void {
    this.freeze();
    this.context.abort(reason);
  }

  /** Every operation that the body, or the journal of a body that was not started, has no outcome of. */
  *notHandedOver(): Iterable<Operation> {
    for (const operation of this.operations) if (operation.handover === 0) yield operation;
    for (const [journalNumber, entry] of this.journal) {
      if (entry.handover === 0 && journalNumber >= this.operations.length) yield restoreUnasked(journalNumber, entry);
    }
  }

  // --- turns -------------------------------------------------------------------------------------------------------

  /** Lets the microtask queue run empty, then goes on. */
  private drain(): void {
    if (this.isDraining) return;
    this.isDraining = true;
    setImmediate(this.onDrained);
  }

  private readonly onDrained = (): void => {
    this.isDraining = false;
    if (!this.isAborted) this.next();
  };

  private next(): void {
    if (this.isReplaying) return this.nextReplayed();
    // A commit leaves before the next outcome is handed over: at the latest in the turn after a step ended.
    this.events.onQuiet();
    if (!this.isTakingIn) this.handOverNext();
  }

  private handOverNext(): void {
    if (this.isAborted || this.result !== null) return;
    const operation = this.outcomes.shift();
    if (operation) this.handOver(operation);
  }

  private nextReplayed(): void {
    const journalNumber = this.journal.handedOverAt(this.handover + 1);
    if (journalNumber === undefined) return this.endReplay();
    const operation = this.operations[journalNumber];
    if (!operation || this.result !== null) return this.faultAt(journalNumber, this.found);
    this.handOver(operation);
    this.events.onReplayed(operation);
  }

  private endReplay(): void {
    const unasked = this.journal.firstFrom(this.operations.length);
    if (unasked) return this.faultAt(unasked.journalNumber, this.found);
    this.isReplaying = false;
    for (const operation of this.operations) {
      if (operation.handover > 0) continue;
      if (operation.isSettled) this.outcomes.push(operation);
      else if (this.result === null) this.events.activate(operation);
    }
    this.next();
  }

  /** What the body did instead of asking for what its journal has next. */
  private get found(): string {
    return this.result === null ? 'nothing more; a body may await nothing but what it asks of `run`' : 'its end';
  }

  private handOver(operation: Operation): void {
    const isNew = !this.isReplaying;
    const settle = this.settlement(operation);
    if (settle === null) return;
    this.handover += 1;
    operation.handover = this.handover;
    this.context.outcomeAt(operation.endedAfter);
    if (isNew) this.events.onHandedOver(operation);
    settle();
    this.drain();
  }

  /** What hands the outcome over; null when its payload cannot be read. */
  private settlement(operation: Operation): (() => void) | null {
    const { settler } = operation;
    if (operation instanceof SleepOperation) return () => settler.resolve(undefined);
    const payload = operation.payload ?? '';
    if (operation.state === 'failed') {
      const failed = new StepFailed(operation.name, operation.used, this.deps.codec.decodeError(payload));
      return () => settler.reject(failed);
    }
    try {
      // Live too, the body gets a copy: what it changes must not differ from what a replay would give it.
      const value = this.deps.codec.decode(payload);
      return () => settler.resolve(value);
    } catch (error) {
      this.isAborted = true;
      this.events.onFault(asError(error));
      return null;
    }
  }

  private faultAt(journalNumber: number, found: string): void {
    const entry = this.journal.get(journalNumber);
    this.isAborted = true;
    const expected = entry ? describeOperation(entry) : 'nothing';
    this.events.onFault(new NonDeterminismError(this.claimed.head.runId, journalNumber, expected, found));
  }

  // --- what the body asks for --------------------------------------------------------------------------------------

  private askStep(name: string, execute: (step: StepContext) => unknown, options?: StepOptions): Promise<unknown> {
    const resolved = options === undefined ? this.defaultOptions(name) : resolveStepOptions(name, options, this.deps.options);
    const identity = resolved.key === null ? this.nextOccurrence(name) : this.claimKey(resolved.key);
    const idempotencyKey = `${this.claimed.head.runId}/${identity}`;
    return this.ask((journalNumber, settler) => new StepOperation(journalNumber, name, settler, execute, resolved, idempotencyKey));
  }

  /** A name that occurred before was checked then: the many steps of a loop share one set of options. */
  private defaultOptions(name: string): ResolvedStepOptions {
    if (this.sharedOptions === null || !this.occurrences.has(name)) this.sharedOptions = resolveStepOptions(name, {}, this.deps.options);
    return this.sharedOptions;
  }

  private askSleep(name: string, duration: number | string): Promise<unknown> {
    assertIdentifier('step name', name);
    const durationMs = parseDuration(duration, `sleep ${name}`);
    return this.ask((journalNumber, settler) => new SleepOperation(journalNumber, name, settler, durationMs));
  }

  private askTask(name: string, task: string, input: unknown, { outputs = {}, ...options }: TaskCallOptions = {}): Promise<unknown> {
    const definition = this.deps.tasks.get(task);
    if (!definition) {
      this.isAborted = true;
      this.events.onFault(taskNotServed(task, this.deps.tasks.keys()));
      return new Promise(() => undefined);
    }
    const execute = async (step: StepContext) => definition.execute(taskContext(step, outputs), input);
    return this.askStep(name, execute, { ...definition.options, ...options });
  }

  private ask(create: (journalNumber: number, settler: Settler) => Operation): Promise<unknown> {
    const journalNumber = this.operations.length;
    let operation!: Operation;
    const promise = new Promise<unknown>((resolve, reject) => {
      operation = create(journalNumber, { resolve, reject });
    });
    // A failed step that nobody awaits is in the journal; it must not end the process as an unhandled rejection.
    promise.catch(ignore);
    if (this.isAborted) return promise;
    const entry = this.journal.get(journalNumber);
    if (entry && !restoreFrom(operation, entry)) {
      this.faultAt(journalNumber, describeOperation(operation));
      return promise;
    }
    this.operations.push(operation);
    if (!this.isReplaying) this.events.activate(operation);
    this.drain();
    return promise;
  }

  private nextOccurrence(name: string): string {
    const occurrence = (this.occurrences.get(name) ?? 0) + 1;
    this.occurrences.set(name, occurrence);
    return occurrence === 1 ? name : `${name}/${occurrence}`;
  }

  private claimKey(key: string): string {
    if (this.keys.has(key)) throw duplicateKey(key);
    this.keys.add(key);
    return `#${key}`;
  }
}

const ignore = (): undefined => undefined;

/** False when the entry is of another operation. */
function restoreFrom(operation: Operation, entry: JournalEntry): boolean {
  if (operation instanceof SleepOperation) {
    if (!operation.isAskedFor(entry)) return false;
    operation.restore(entry);
  } else {
    if (!operation.isAskedFor(entry)) return false;
    operation.restore(entry);
  }
  return true;
}

/** An operation that only stands for its entry, so that the end of a run can close it. */
function restoreUnasked(journalNumber: number, entry: JournalEntry): Operation {
  const settler: Settler = { resolve: () => undefined, reject: () => undefined };
  if (entry.kind === 'sleep') {
    const sleep = new SleepOperation(journalNumber, entry.name, settler, 0);
    sleep.restore(entry);
    return sleep;
  }
  const options = { attempts: 1, timeoutMs: null, backoff: defaultBackoff, nonRetryable: [], key: entry.key };
  const step = new StepOperation(journalNumber, entry.name, settler, () => undefined, options, '');
  step.restore(entry);
  return step;
}

function taskNotServed(task: string, served: Iterable<string>): Error {
  return new TaskNotServed(task, nearNames(task, [...served]));
}

function duplicateKey(key: string): Error {
  return new InvalidInput('step options', [{ path: 'key', message: `${key} is used by another step of this run` }]);
}
