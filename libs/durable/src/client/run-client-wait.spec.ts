import { describe, expect, it } from '@jest/globals';
import type { RunHead } from '../core/run-record.js';
import type { ReadPayloads, RunEvent } from '../ports/inspector.js';
import type { WorkerRegistry } from '../ports/registry.js';
import type { SubmitAnswer } from '../ports/run-store.js';
import { FakeClock } from '../testing/fake-clock.js';
import { fixedRandomness } from '../testing/fixed-randomness.js';
import { RunClient } from './run-client.js';
import { RunWatcher } from './run-watcher.js';

/** A client on a store of one run, of whose changes its feed tells. */
function setUp() {
  const clock = new FakeClock();
  const reads: Array<ReadPayloads | 'progress'> = [];
  const listeners = new Set<(event: RunEvent) => void>();
  const stored = { head: null as RunHead | null };
  const inspector = {
    getRun: async (_runId: string, payloads: ReadPayloads = 'all') => {
      reads.push(payloads);
      return stored.head;
    },
    getProgress: async () => {
      reads.push('progress');
      return stored.head;
    },
    watch: async (onEvent: (event: RunEvent) => void) => {
      listeners.add(onEvent);
      return { close: async () => void listeners.delete(onEvent) };
    },
  };
  const client = new RunClient({
    namespace: 'default',
    runs: {
      submit: async ([request]) => {
        stored.head = { ...request, status: 'queued', createdAt: 1, revision: 0 } as unknown as RunHead;
        return [{ outcome: 'created', run: stored.head } satisfies SubmitAnswer];
      },
      cancel: async () => 'missing',
    },
    inspector,
    registry: {
      workflows: async () => [{ workflow: 'w', version: 1, queue: 'default', definitionHash: '', inputSchema: null }],
      workers: async () => [],
    } as unknown as WorkerRegistry,
    codec: { encode: (value) => JSON.stringify(value) },
    clock,
    random: fixedRandomness(),
    watcher: new RunWatcher({ inspector, clock, emit: () => {} }),
  });
  const change = (fields: Partial<RunHead>) => {
    stored.head = { ...stored.head, ...fields } as RunHead;
  };
  const tell = (status: RunHead['status']) => {
    for (const listener of listeners) listener({ runId: 'r', status });
  };
  return { client, clock, reads, stored, change, tell };
}

describe('RunClient.wait, what it reads', () => {
  it('reads small until the end is told, and the whole run once', async () => {
    const { client, clock, reads, stored, change, tell } = setUp();
    stored.head = { runId: 'r', status: 'queued', input: '1', digest: 'd', createdAt: 1 } as unknown as RunHead;
    const waiting = client.wait('r', { timeoutMs: 60_000 });
    await clock.advanceInTurns(0);
    tell('running');
    change({ status: 'completed', output: '2' });
    tell('completed');
    expect(await waiting).toMatchObject({ status: 'completed', input: '1', output: '2' });
    expect(reads).toEqual(['all-of-terminal', 'progress', 'all-of-terminal']);
  });

  it('goes on waiting when what it heard was out of date', async () => {
    const { client, clock, stored, change, tell } = setUp();
    stored.head = { runId: 'r', status: 'running', input: '1', digest: 'd', createdAt: 1 } as unknown as RunHead;
    const answers: RunHead[] = [];
    const waiting = client.wait('r', { timeoutMs: 60_000 }).then((head) => answers.push(head));
    await clock.advanceInTurns(0);
    tell('failed');
    await clock.advanceInTurns(0);
    expect(answers).toEqual([]);
    change({ status: 'completed' });
    tell('completed');
    await waiting;
    expect(answers).toMatchObject([{ status: 'completed' }]);
  });
});
