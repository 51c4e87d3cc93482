import { describe, expect, it } from '@jest/globals';
import type { MillraceHttp, RunView, StepPage } from '../millrace-http.js';
import { expectedChecksum } from './expected-results.js';
import type { Trace } from './load-trace.js';
import { checksumOf } from './simulate.js';
import { runTrace } from './trace-run.js';

const trace: Trace = {
  name: 'two',
  tasks: [
    { id: 'a', parents: [], runtimeSeconds: 2 },
    { id: 'b', parents: ['a'], runtimeSeconds: 3 },
  ],
};
const outputOfA = { checksum: checksumOf('a', {}) };
const outputOfB = { checksum: checksumOf('b', { a: outputOfA }) };
const done = (name: string) => ({ name, state: 'completed', attempts: 1 });

/** An API whose one run is as it is told, answer by answer; the last answer stays. */
function apiWith(answers: ReadonlyArray<{ readonly status: string; readonly steps: StepPage['steps']; readonly output?: unknown }>) {
  let asked = -1;
  const current = () => answers[Math.min(asked, answers.length - 1)];
  const submitted: unknown[] = [];
  const runOf = (status: string, output: unknown = null): RunView => ({
    runId: 'r1',
    status,
    createdAt: '2027-01-15T08:00:00.000Z',
    startedAt: '2027-01-15T08:00:01.000Z',
    endedAt: '2027-01-15T08:00:06.500Z',
    output,
    error: status === 'failed' ? { name: 'StepFailed', message: 'step b failed' } : null,
  });
  const http: Pick<MillraceHttp, 'submit' | 'run' | 'steps'> = {
    async submit(submission) {
      submitted.push(submission);
      return runOf('queued');
    },
    async run() {
      asked += 1;
      return runOf(current()?.status ?? '', current()?.output);
    },
    async steps() {
      return { steps: current()?.steps ?? [], cursor: null };
    },
  };
  return { http: http as MillraceHttp, submitted };
}

const told: unknown[] = [];
const follow = (http: MillraceHttp) =>
  runTrace({ http, trace, scale: 1_000, pollMs: 0, onProgress: (progress) => void told.push(progress) });

describe('runTrace', () => {
  it('submits a graph, tells its progress and finds the result correct', async () => {
    const running = [done('a'), { name: 'b', state: 'open', attempts: 1 }];
    const { http, submitted } = apiWith([
      { status: 'running', steps: running },
      { status: 'completed', steps: [done('a'), done('b')], output: { b: outputOfB } },
    ]);
    told.length = 0;
    const result = await follow(http);
    expect(submitted).toEqual([
      { graph: { nodes: [expect.objectContaining({ id: 'a' }), expect.objectContaining({ id: 'b', after: ['a'] })] } },
    ]);
    expect(told).toEqual([
      { runId: 'r1', status: 'running', done: 1, running: ['b'], retrying: [] },
      { runId: 'r1', status: 'completed', done: 2, running: [], retrying: [] },
    ]);
    expect(result).toMatchObject({
      isCorrect: true,
      confirmed: 2,
      tasks: 2,
      tookMs: 5_500,
      criticalPathMs: 5,
      checksum: expectedChecksum(trace),
    });
  });

  it('finds another checksum, a step that is missing, and a run that failed', async () => {
    const steps = [done('a'), done('b')];
    const wrong = apiWith([{ status: 'completed', steps, output: { b: { checksum: checksumOf('b', {}) } } }]);
    expect(await follow(wrong.http)).toMatchObject({ isCorrect: false, confirmed: 2 });
    const short = apiWith([{ status: 'completed', steps: [done('a')], output: { b: outputOfB } }]);
    expect(await follow(short.http)).toMatchObject({ isCorrect: false, confirmed: 1, checksum: expectedChecksum(trace) });
    const failed = apiWith([{ status: 'failed', steps: [done('a'), { name: 'b', state: 'failed', attempts: 5 }] }]);
    expect(await follow(failed.http)).toMatchObject({ isCorrect: false, checksum: null });
  });
});
