import { asError } from '../core/as-error.js';
import { WorkerLost } from '../core/errors.js';
import type { EventSink } from '../core/events.js';
import type { EngineDeps } from '../engine/engine-deps.js';
import type { Clock, Randomness } from '../ports/clock.js';
import type { WorkerAnnouncement } from '../ports/registry.js';
import { Announcer } from './announcer.js';
import { ClaimWatch } from './claim-watch.js';
import { Claimer, pause } from './claimer.js';
import type { ExecutionFactory } from './execution.js';
import { HeldRuns } from './held-runs.js';
import type { Heartbeats } from './heartbeats.js';
import { InProcessHeartbeats } from './in-process-heartbeats.js';
import { type HostFacts, incarnationOf, ownStartTime } from './incarnation.js';
import { Intake } from './intake.js';
import { Outage } from './outage.js';
import { PumpLoop } from './pump-loop.js';
import { Room } from './room.js';
import { announcementOf, type Served } from './served.js';
import { ServerTime } from './server-time.js';
import { shutDown } from './shutdown.js';
import { takeBackClaims } from './take-back.js';
import { WatchedSlots } from './watched-slots.js';
import type { ResolvedWorkerOptions } from './worker-options.js';
import type { WorkerCodec, WorkerStorage } from './worker-storage.js';

export interface WorkerParams {
  /** Stays open when the worker has stopped: whoever opened it closes it. */
  readonly storage: WorkerStorage;
  readonly codec: WorkerCodec;
  readonly served: Served;
  readonly options: ResolvedWorkerOptions;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly facts: HostFacts;
  readonly emit: EventSink;
  /** Makes the executor of a claimed run. */
  readonly executions: (deps: EngineDeps) => ExecutionFactory;
}

export interface WorkerHealth {
  /** True when it takes work, or could if there were any. */
  readonly isReady: boolean;
  /** Why it is not ready, a sentence each. */
  readonly problems: readonly string[];
}

type Phase = 'new' | 'starting' | 'running' | 'stopping' | 'stopped';

/** Claims runs of the lanes it serves and advances them, until it is stopped. */
export class Worker {
  readonly incarnation: string;
  private readonly serverTime: ServerTime;
  private readonly slots: WatchedSlots;
  private readonly heartbeats: Heartbeats;
  private readonly heldRuns: HeldRuns;
  private readonly room: Room;
  private readonly claimer: Claimer;
  private readonly watch: ClaimWatch;
  private readonly intake: Intake;
  private readonly pump: PumpLoop;
  private readonly announcer: Announcer;
  private readonly setAsideError: string;
  private readonly stopping = new AbortController();
  private readonly atOnce = new AbortController();
  private phase: Phase = 'new';
  private starting: Promise<void> | null = null;
  private stopped: Promise<boolean> | null = null;
  private bells: { close(): Promise<void> } | null = null;

  constructor(private readonly params: WorkerParams) {
    const { storage, served, options, clock, random, emit } = params;
    this.incarnation = incarnationOf(options.name, random);
    this.setAsideError = params.codec.encodeError(overActivationBudget(options.activationBudget));
    this.serverTime = new ServerTime(clock);
    this.slots = new WatchedSlots(options.concurrency, () => this.room.changed());
    this.heartbeats = this.makeHeartbeats();
    this.heldRuns = new HeldRuns({
      heartbeats: this.heartbeats,
      execute: params.executions(this.engineDeps()),
      workflows: served.workflows,
      onDropped: () => this.room.changed(),
      emit,
    });
    this.room = new Room({ claims: options.claims, claimBytes: options.claimBytes, slots: this.slots, held: this.heldRuns, clock });
    const shared = { held: this.heldRuns, room: this.room, clock, random, emit, options, setAsideError: this.setAsideError };
    this.claimer = new Claimer({
      ...shared,
      store: storage.runs,
      owner: this.incarnation,
      onServerTime: (now, receivedAt) => this.serverTime.observe(now, receivedAt),
    });
    const openReader = () => storage.lanes(served.lanes);
    this.watch = new ClaimWatch(shared);
    this.intake = new Intake({ ...shared, openReader, claimer: this.claimer, blockMs: options.blockMs });
    this.pump = new PumpLoop({
      ...shared,
      store: storage.runs,
      openReader,
      claimer: this.claimer,
      serverTime: this.serverTime,
      ...(storage.sweepRecords === undefined ? {} : { sweepRecords: () => storage.sweepRecords?.() ?? Promise.resolve([]) }),
    });
    this.announcer = new Announcer({
      registry: storage.registry,
      worker: this.announcement(),
      workflows: [...served.workflows.values()].map(announcementOf),
      clock,
      random,
      emit,
    });
  }

  /**
   * Announces the worker, takes back what proven-dead earlier starts of it held, and begins to take work. While the store
   * is away it waits and says so once (`loop.failed`, loop `start`). Resolves early when the worker is stopped meanwhile.
   * @throws MillraceError that another try would not mend
   */
  start(): Promise<void> {
    if (this.phase === 'stopping' || this.phase === 'stopped') return Promise.reject(new Error(`worker ${this.incarnation} was stopped`));
    this.starting ??= this.startUp();
    return this.starting;
  }

  /**
   * Stops taking work, gives running functions the grace period, hands every claim back and says goodbye. Idempotent.
   * Resolves within grace + 5 s whatever the store does; with `atOnce`, now or while an earlier stop waits, it ends the
   * waiting: the claims are left to lapse. Answers whether all of it was done.
   */
  stop(how: Readonly<{ atOnce?: boolean }> = {}): Promise<boolean> {
    if (how.atOnce === true) this.atOnce.abort();
    this.stopped ??= this.end();
    return this.stopped;
  }

  /** Ids of the runs whose claims this worker holds. */
  held(): string[] {
    return this.heldRuns.runIds;
  }

  health(): WorkerHealth {
    const problems: string[] = [];
    const { clock, options } = this.params;
    if (this.phase !== 'running') problems.push(`the worker is ${this.phase}`);
    const silentMs = Math.round(clock.monotonic() - this.intake.lastProgressAt);
    if (this.phase === 'running' && silentMs > 2 * options.blockMs) problems.push(`no read of the lanes was answered for ${silentMs} ms`);
    if (!this.heartbeats.isHealthy) problems.push('heartbeats are not answered');
    if (this.pump.isFailing) problems.push('the pump fails');
    return { isReady: problems.length === 0, problems };
  }

  /** Short for `health().isReady`. */
  isHealthy(): boolean {
    return this.health().isReady;
  }

  private async startUp(): Promise<void> {
    this.phase = 'starting';
    try {
      this.watch.start();
      // Side by side: runs of an earlier start go on at once, and their claims live a whole lease before a beat must cover them.
      await Promise.all([this.heartbeats.start(), this.resume()]);
      if (this.stopping.signal.aborted) return;
    } catch (error) {
      await this.stop({ atOnce: true });
      throw error;
    }
    this.announcer.start();
    this.pump.start();
    this.intake.start();
    this.phase = 'running';
    this.params.emit({ type: 'worker.started', incarnation: this.incarnation });
  }

  private async resume(): Promise<void> {
    await this.untilAnswered(() => this.introduce());
    if (!this.stopping.signal.aborted) await this.untilAnswered(() => this.takeBack());
  }

  /** Repeatable as a whole. */
  private async introduce(): Promise<void> {
    const { storage, clock } = this.params;
    this.serverTime.observe(await storage.runs.now(), clock.monotonic());
    await this.announcer.announce();
    this.bells ??= await storage.bells.listen(this.incarnation, (runId) => this.heldRuns.bell(runId));
    // A stop that did not wait for this found no bells to close.
    if (this.stopping.signal.aborted) await this.bells.close();
  }

  /** What there is no room for is in its lane like any other. */
  private async takeBack(): Promise<void> {
    const { storage, served, options, facts, emit } = this.params;
    const { name, exclusiveName, activationBudget } = options;
    const activations = await takeBackClaims({
      registry: storage.registry,
      store: storage.runs,
      name,
      incarnation: this.incarnation,
      exclusiveName,
      lanes: served.lanes,
      facts,
      activationBudget,
      setAsideError: this.setAsideError,
      emit,
    });
    await this.claimer.claim(activations.slice(0, this.room.free));
  }

  private async untilAnswered(step: () => Promise<void>): Promise<void> {
    const { clock, random, emit } = this.params;
    const outage = new Outage({ loop: 'start', clock, random, emit });
    while (!this.stopping.signal.aborted) {
      try {
        await step();
        outage.succeeded();
        return;
      } catch (thrown) {
        const error = asError(thrown);
        if (!('retryable' in error) || error.retryable !== true) throw error;
        await pause(clock, outage.failed(error), this.stopping.signal);
      }
    }
  }

  private async end(): Promise<boolean> {
    const { clock, options, emit } = this.params;
    const hasBegun = this.phase !== 'new';
    this.phase = 'stopping';
    this.stopping.abort();
    this.claimer.close();
    const isClean = hasBegun
      ? await shutDown({
          held: this.heldRuns,
          stopLoops: () => Promise.all([this.starting, this.intake.stop(), this.pump.stop(), this.announcer.stop()]),
          heartbeats: this.heartbeats,
          announcer: this.announcer,
          close: () => Promise.all([this.watch.stop(), this.bells?.close()]),
          clock,
          graceMs: options.graceMs,
          atOnce: this.atOnce.signal,
        })
      : true;
    this.phase = 'stopped';
    emit({ type: 'worker.stopped', incarnation: this.incarnation, clean: isClean });
    return isClean;
  }

  private makeHeartbeats(): Heartbeats {
    const { storage, options, clock, random, emit } = this.params;
    const { leaseMs, heartbeatMs, maxBlockMs, claims } = options;
    const onServerTime = (now: number, receivedAt: number): void => this.serverTime.observe(now, receivedAt);
    const params = { leaseMs, heartbeatMs, maxBlockMs, capacity: claims, clock, emit, onServerTime };
    return storage.heartbeats?.(params) ?? new InProcessHeartbeats({ ...params, store: storage.runs, random });
  }

  private engineDeps(): EngineDeps {
    const { storage, codec, clock, random, served, options, emit } = this.params;
    return {
      store: storage.runs,
      codec,
      clock,
      random,
      serverClock: this.serverTime,
      slots: this.slots,
      tasks: served.tasks,
      options,
      emit,
      onTokenChanged: (runId) => this.heldRuns.tokenChanged(runId),
    };
  }

  private announcement(): WorkerAnnouncement {
    const { facts, options, clock, served } = this.params;
    return {
      incarnation: this.incarnation,
      name: options.name,
      host: facts.host,
      pid: facts.pid,
      hostId: facts.hostId,
      processStart: ownStartTime(facts),
      startedAt: clock.wall(),
      concurrency: options.concurrency,
      lanes: served.lanes,
      tasks: [...served.tasks.values()].map(({ queue, name }) => ({ queue, task: name })),
      goodbye: false,
    };
  }
}

/** Why a run is set aside whose claims died one after the other. Every claim carries it, and where it was made tells nothing: no stack. */
function overActivationBudget(budget: number): Error {
  const error = new WorkerLost('advancing the run before any step', budget);
  error.stack = '';
  return error;
}
