import { isTerminal, type RunStatus } from '../core/run-status.js';
import type { Clock } from '../ports/clock.js';
import type { Inspector } from '../ports/inspector.js';

/** A run as {@link Inspector.getProgress} reads it; null when there is no such run. */
export type RunProgress = Awaited<ReturnType<Inspector['getProgress']>>;
export type ProgressListener = (progress: RunProgress) => void;

interface WatchedRunDeps {
  readonly read: () => Promise<RunProgress>;
  readonly clock: Clock;
  readonly pollMs: number;
  readonly onRead: () => void;
  readonly onFailure: (error: unknown) => void;
}

/** One run that somebody waits for: read when asked to look and every `pollMs`, one read at a time. */
export class WatchedRun {
  private readonly listeners = new Set<ProgressListener>();
  private readonly endings = new Set<() => void>();
  private isReading = false;
  /** Somebody asked while a read was under way: that read may be older than what they want to see. */
  private isAskedAgain = false;
  private isStopped = false;
  private cancelPoll: (() => void) | undefined;

  constructor(private readonly deps: WatchedRunDeps) {}

  get isUnheard(): boolean {
    return this.listeners.size === 0 && this.endings.size === 0;
  }

  /** The listener is called with what the next read finds, and from then on with what every read finds. */
  add(listener: ProgressListener): () => void {
    // Wrapped, so that the same function added twice counts twice.
    const entry: ProgressListener = (progress) => listener(progress);
    this.listeners.add(entry);
    this.look();
    return () => {
      this.listeners.delete(entry);
    };
  }

  /** Called whenever the run is found or heard to be terminal, or found to be gone. What was heard may be out of date. */
  addEnding(onEnded: () => void): () => void {
    const entry = (): void => onEnded();
    this.endings.add(entry);
    this.look();
    return () => {
      this.endings.delete(entry);
    };
  }

  /** Takes what was heard of the run. Who waits for its end needs no read to know what it is not yet. */
  heard(status: RunStatus): void {
    if (isTerminal(status)) this.tellEnded();
    if (this.listeners.size > 0) this.look();
  }

  look(): void {
    if (this.isReading) {
      this.isAskedAgain = true;
      return;
    }
    void this.readAndTell();
  }

  stop(): void {
    this.isStopped = true;
    this.cancelPoll?.();
    this.listeners.clear();
    this.endings.clear();
  }

  private tellEnded(): void {
    for (const onEnded of this.endings) onEnded();
  }

  private async readAndTell(): Promise<void> {
    this.isReading = true;
    this.cancelPoll?.();
    try {
      const progress = await this.deps.read();
      this.deps.onRead();
      for (const listener of this.listeners) listener(progress);
      if (progress === null || isTerminal(progress.status)) this.tellEnded();
    } catch (error) {
      this.deps.onFailure(error);
    } finally {
      this.isReading = false;
    }
    this.planNext();
  }

  private planNext(): void {
    if (this.isStopped) return;
    if (this.isAskedAgain) {
      this.isAskedAgain = false;
      this.look();
    } else {
      this.cancelPoll = this.deps.clock.after(this.deps.pollMs, () => this.look());
    }
  }
}
