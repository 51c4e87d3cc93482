import type { EventSink } from '../core/events.js';
import type { Clock } from '../ports/clock.js';
import type { Inspector, RunFeed } from '../ports/inspector.js';
import { FailureGate } from './failure-gate.js';
import { WatchedRun, type ProgressListener } from './watched-run.js';

/** What a watcher needs. */
export interface RunWatcherDeps {
  readonly inspector: Pick<Inspector, 'watch' | 'getProgress'>;
  readonly clock: Clock;
  readonly emit: EventSink;
  /** How often a watched run is read although nothing was heard of it, ms. @defaultValue 1,000 */
  readonly pollMs?: number;
  /** How long the feed stays open with nobody listening, ms. @defaultValue 2,000 */
  readonly feedLingerMs?: number;
}

/**
 * One watcher for all who wait for something of a run: one status feed for the namespace and one read per run and second,
 * however many wait. The feed only makes it fast; the reads make it right, so a feed that is down costs at most `pollMs`.
 */
export class RunWatcher {
  private readonly runs = new Map<string, WatchedRun>();
  private readonly pollMs: number;
  private readonly feedLingerMs: number;
  private feed: Promise<RunFeed> | undefined;
  /** The feed once it is open, and what it follows. */
  private opened: RunFeed | undefined;
  private readonly follows = new Map<string, () => void>();
  private cancelLinger: (() => void) | undefined;
  private readonly reads: FailureGate;
  private readonly feeds: FailureGate;

  constructor(private readonly deps: RunWatcherDeps) {
    this.pollMs = deps.pollMs ?? 1_000;
    this.feedLingerMs = deps.feedLingerMs ?? 2_000;
    this.reads = new FailureGate(deps.emit, 'run watcher', this.pollMs);
    this.feeds = new FailureGate(deps.emit, 'run feed', this.pollMs);
  }

  /** Runs that are watched now. */
  get size(): number {
    return this.runs.size;
  }

  /**
   * Calls back with the run's progress soon after the call and whenever it is read, changed or not; null when there is no
   * such run (any more). The returned function ends it and may be called twice.
   */
  subscribe(runId: string, listener: ProgressListener): () => void {
    return this.join(runId, (run) => run.add(listener));
  }

  /**
   * Calls back, maybe more than once, when the run is terminal or there is none (any more), by what was read or heard: read it to
   * be sure. Costs less than {@link subscribe}. The returned function ends it and may be called twice.
   */
  onceEnded(runId: string, onEnded: () => void): () => void {
    return this.join(runId, (run) => run.addEnding(onEnded));
  }

  /** Ends every subscription without a call and closes the feed. */
  async close(): Promise<void> {
    this.cancelLinger?.();
    for (const run of this.runs.values()) run.stop();
    this.runs.clear();
    this.follows.clear();
    await this.closeFeed();
  }

  private join(runId: string, add: (run: WatchedRun) => () => void): () => void {
    this.cancelLinger?.();
    this.openFeed();
    const run = this.runs.get(runId) ?? this.startRun(runId);
    const leave = add(run);
    return () => {
      leave();
      if (run.isUnheard && this.runs.get(runId) === run) this.endRun(runId, run);
    };
  }

  private startRun(runId: string): WatchedRun {
    const run = new WatchedRun({
      read: () => this.deps.inspector.getProgress(runId),
      clock: this.deps.clock,
      pollMs: this.pollMs,
      onRead: () => this.readSucceeded(),
      onFailure: (error) => this.reads.failed(error),
    });
    this.runs.set(runId, run);
    // Before its first read, so that no change falls between the two.
    this.follow(runId);
    return run;
  }

  private endRun(runId: string, run: WatchedRun): void {
    run.stop();
    this.runs.delete(runId);
    this.follows.get(runId)?.();
    this.follows.delete(runId);
    if (this.runs.size > 0) return;
    this.cancelLinger = this.deps.clock.after(this.feedLingerMs, () => void this.closeFeed());
  }

  private openFeed(): void {
    if (this.feed !== undefined) return;
    const feed = this.deps.inspector.watch(({ runId, status }) => this.runs.get(runId)?.heard(status), 'followed');
    this.feed = feed;
    feed.then(
      (opened) => {
        this.feeds.succeeded();
        if (this.feed === feed) this.followAll(opened);
      },
      (error: unknown) => {
        if (this.feed === feed) this.feed = undefined;
        this.feeds.failed(error);
      },
    );
  }

  /** Without a feed the reads go on; one that succeeds shows that the store is there and a feed may be had again. */
  private readSucceeded(): void {
    this.reads.succeeded();
    if (this.runs.size > 0) this.openFeed();
  }

  /** What changed before the feed was open is found by a read. */
  private followAll(opened: RunFeed): void {
    this.opened = opened;
    if (opened.follow === undefined) return;
    for (const [runId, run] of this.runs) {
      this.follow(runId);
      run.look();
    }
  }

  private follow(runId: string): void {
    const unfollow = this.opened?.follow?.(runId);
    if (unfollow !== undefined) this.follows.set(runId, unfollow);
  }

  private async closeFeed(): Promise<void> {
    const { feed } = this;
    this.feed = undefined;
    this.opened = undefined;
    try {
      await (await feed)?.close();
    } catch (error) {
      this.feeds.failed(error);
    }
  }
}
