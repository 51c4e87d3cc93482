import type { MillraceHttp, StepView } from '../millrace-http.js';

/** Where the nodes of a graph's run stand. */
export interface NodeProgress {
  /** Nodes whose output is confirmed. */
  readonly done: number;
  /** Ids of nodes that are executed now, in the order in which they were begun. */
  readonly running: readonly string[];
  /** Ids of nodes that failed and are tried again. */
  readonly retrying: readonly string[];
}

/** Reads the progress of one run. Pages in which every node is done are not read again. */
export class NodeProgressReader {
  private cursor: string | null = null;
  private doneBefore = 0;

  constructor(
    private readonly http: MillraceHttp,
    private readonly runId: string,
  ) {}

  async read(): Promise<NodeProgress> {
    const open: StepView[] = [];
    let done = this.doneBefore;
    let isSettled = true;
    for (let cursor = this.cursor; ; ) {
      const page = await this.http.steps(this.runId, cursor);
      const unsettled = page.steps.filter(({ state }) => state !== 'completed');
      done += page.steps.length - unsettled.length;
      open.push(...unsettled);
      if (unsettled.length > 0) isSettled = false;
      if (page.cursor === null) return { done, running: namesOf(open, 'open'), retrying: namesOf(open, 'retrying') };
      cursor = page.cursor;
      if (isSettled) {
        this.cursor = cursor;
        this.doneBefore = done;
      }
    }
  }
}

function namesOf(steps: readonly StepView[], state: string): string[] {
  return steps.filter((step) => step.state === state).map(({ name }) => name ?? '?');
}
