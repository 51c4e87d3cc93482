import { asError } from '../core/as-error.js';
import { ClaimLost } from '../core/errors.js';
import type { Commit, CommitAnswer, InboxView } from '../ports/run-store.js';
import type { ClaimedRun, EngineDeps } from './engine-deps.js';
import { untilAnswered } from './until-answered.js';

/**
 * The one commit that may be in flight, and the looks at the inbox. With one commit in flight, (my token, my revision + 1)
 * proves that an unanswered commit was applied: only the owner raises the revision.
 */
export class CommitLane {
  private revision: number;
  private callsInFlight = 0;
  private isLooking = false;
  private lookAgain: ((view: InboxView | 'lost' | Error) => void) | null = null;

  constructor(
    private readonly deps: EngineDeps,
    private readonly claimed: ClaimedRun,
    /** The inbox counter that was last looked at. */
    public inbox: string,
  ) {
    this.revision = claimed.head.revision;
  }

  get isBusy(): boolean {
    return this.callsInFlight > 0;
  }

  /** What the next commit compares. */
  get position() {
    const { runId, token } = this.claimed.head;
    return { runId, token, revision: this.revision };
  }

  /** `onAnswer` gets the answer, or an error: the store refused for good. */
  send(commit: Commit, onAnswer: (answer: CommitAnswer | Error) => void): void {
    const commits = [commit];
    const call = () => this.deps.store.commit(commits).then(([answer]) => answer as CommitAnswer);
    this.run(call, (answer) => {
      if (answer === 'ok') this.revision = commit.revision + 1;
      onAnswer(answer);
    });
  }

  /**
   * Reads the inbox; a look asked for meanwhile is made after it, since it may be about something newer. `onView` gets an error
   * when the store refused for good.
   */
  look(onView: (view: InboxView | 'lost' | Error) => void): void {
    if (this.isLooking) {
      this.lookAgain = onView;
      return;
    }
    this.isLooking = true;
    const { runId, token } = this.claimed.head;
    this.run<InboxView | 'lost'>(
      () => this.deps.store.look({ runId, token }),
      (view) => {
        this.isLooking = false;
        if (view !== 'lost' && !(view instanceof Error)) this.inbox = view.inbox;
        onView(view);
        const again = this.lookAgain;
        this.lookAgain = null;
        if (again) this.look(again);
      },
    );
  }

  private run<T>(call: () => Promise<T>, onAnswer: (answer: T | 'lost' | Error) => void): void {
    this.callsInFlight += 1;
    const settle = (answer: T | 'lost' | Error) => {
      this.callsInFlight -= 1;
      onAnswer(answer);
    };
    untilAnswered(this.claimed.guard, this.deps.clock, this.claimed.head.runId, call).then(settle, (error: unknown) => {
      if (error instanceof ClaimLost) settle('lost');
      else settle(asError(error));
    });
  }
}
