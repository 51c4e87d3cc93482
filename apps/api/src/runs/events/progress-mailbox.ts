import type { Clock, Inspector, RunWatcher } from '@millrace/durable';

/** What is read of a run while it is followed; null when there is no such run (any more). */
export type RunProgress = Awaited<ReturnType<Inspector['getProgress']>>;

/** What a wait for progress ended with. */
export type Arrival =
  | { readonly kind: 'progress'; readonly progress: RunProgress }
  | { readonly kind: 'time-up' }
  | { readonly kind: 'aborted' };

/** Holds the newest progress of a run until a reader comes for it: a slow reader skips states, and no queue grows. */
export class ProgressMailbox {
  private newest: { readonly progress: RunProgress } | undefined;
  private wake: (() => void) | undefined;
  private readonly unsubscribe: () => void;

  constructor(
    watcher: Pick<RunWatcher, 'subscribe'>,
    runId: string,
    private readonly clock: Clock,
  ) {
    this.unsubscribe = watcher.subscribe(runId, (progress) => {
      this.newest = { progress };
      this.wake?.();
    });
  }

  /** The newest progress that was not taken yet, waiting for it at most `timeoutMs`. */
  async take(timeoutMs: number, signal: AbortSignal): Promise<Arrival> {
    if (this.newest === undefined && !signal.aborted) await this.wait(timeoutMs, signal);
    if (signal.aborted) return { kind: 'aborted' };
    const { newest } = this;
    this.newest = undefined;
    return newest === undefined ? { kind: 'time-up' } : { kind: 'progress', progress: newest.progress };
  }

  close(): void {
    this.unsubscribe();
  }

  private wait(timeoutMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const finish = () => {
        this.wake = undefined;
        cancelTimer();
        signal.removeEventListener('abort', finish);
        resolve();
      };
      const cancelTimer = this.clock.after(timeoutMs, finish);
      this.wake = finish;
      signal.addEventListener('abort', finish);
    });
  }
}
