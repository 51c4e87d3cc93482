import type { ClaimedRun, RunExit } from '../../engine/engine-deps.js';
import type { Execution } from '../../worker/execution.js';

/** An execution that does what a test tells it, and remembers what it was told. */
export class FakeExecution implements Execution {
  readonly calls: string[] = [];
  isIdle = false;
  heldBytes = 0;
  inbox: string;
  token: string;
  private finish!: (exit: RunExit) => void;
  private readonly done = new Promise<RunExit>((resolve) => {
    this.finish = resolve;
  });

  constructor(
    readonly claimed: ClaimedRun,
    /** What a call makes of the execution; null: it goes on. */
    private readonly answers: Partial<Record<'fence' | 'stop' | 'interrupt', RunExit>> = {},
  ) {
    this.inbox = claimed.head.inbox;
    this.token = claimed.head.token;
  }

  drive(): Promise<RunExit> {
    this.calls.push('drive');
    return this.done;
  }

  end(exit: RunExit): void {
    this.finish(exit);
  }

  bell(): void {
    this.calls.push('bell');
  }

  fence(reason: Error): void {
    this.calls.push(`fence: ${reason.message}`);
    this.end(this.answers.fence ?? { kind: 'lost' });
  }

  stop(): void {
    this.told('stop');
  }

  interrupt(): void {
    this.told('interrupt');
  }

  private told(what: 'stop' | 'interrupt'): void {
    this.calls.push(what);
    const exit = this.answers[what];
    if (exit !== undefined) this.end(exit);
  }
}
