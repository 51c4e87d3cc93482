import { setTimeout as delay } from 'node:timers/promises';
import { isOver, type MillraceHttp, type RunView } from '../millrace-http.js';
import { criticalPathMs, expectedChecksum } from './expected-results.js';
import { type Trace, traceToGraph } from './load-trace.js';
import { type NodeProgress, NodeProgressReader } from './node-progress.js';
import { finalChecksum, type Outputs } from './simulate.js';

/** What became of a trace's run, beside what the trace alone says it must come to. */
export interface TraceResult {
  readonly run: RunView;
  readonly tasks: number;
  /** Nodes that were confirmed. */
  readonly confirmed: number;
  readonly expected: string;
  /** Null when the run has no output. */
  readonly checksum: string | null;
  /** True when the run completed, confirmed every task, and came to the expected checksum. */
  readonly isCorrect: boolean;
  /** From its first claim to its end, ms. */
  readonly tookMs: number;
  /** The longest chain of tasks, ms: no run can be shorter. */
  readonly criticalPathMs: number;
}

export interface TraceRunOptions {
  readonly http: MillraceHttp;
  readonly trace: Trace;
  /** How many times faster than recorded. */
  readonly scale: number;
  /** Called when the run is made, and whenever its progress was read. */
  readonly onProgress: (progress: NodeProgress & { readonly runId: string; readonly status: string }) => void;
  /** @defaultValue 400 */
  readonly pollMs?: number;
}

/** Submits a trace as a graph, follows it to its end and checks what it came to. @throws ApiProblem */
export async function runTrace({ http, trace, scale, onProgress, pollMs = 400 }: TraceRunOptions): Promise<TraceResult> {
  const { runId } = await http.submit({ graph: traceToGraph(trace, scale) });
  const progress = new NodeProgressReader(http, runId);
  for (;;) {
    // The status first: when it says that the run has ended, the progress read after it is the last one.
    const run = await http.run(runId);
    const nodes = await progress.read();
    onProgress({ runId, status: run.status, ...nodes });
    if (isOver(run)) return judge(run, nodes.done, trace, scale);
    await delay(pollMs);
  }
}

function judge(run: RunView, confirmed: number, trace: Trace, scale: number): TraceResult {
  const expected = expectedChecksum(trace);
  const checksum = run.status === 'completed' ? finalChecksum(run.output as Outputs) : null;
  const tasks = trace.tasks.length;
  return {
    run,
    tasks,
    confirmed,
    expected,
    checksum,
    isCorrect: checksum === expected && confirmed === tasks,
    tookMs: Date.parse(run.endedAt ?? '') - Date.parse(run.startedAt ?? run.createdAt),
    criticalPathMs: criticalPathMs(trace, scale),
  };
}
