import { afterEach, describe, expect, it } from '@jest/globals';
import { testNamespace, tracked } from '../testing/index.js';
import { RedisStorage } from './redis-storage.js';

const track = tracked(afterEach);
const url = process.env['MILLRACE_TEST_REDIS_URL'] ?? '';
const lane = { queue: 'default', workflow: 'fulfil-order', version: 1 };

describe('RedisStorage', () => {
  it('takes a run from its submission to its end', async () => {
    const storage = await track(RedisStorage.open({ url, namespace: testNamespace('storage') }));
    const [submitted] = await storage.runs.submit([{ runId: 'r1', lane, input: '{"a":1}', digest: 'd', requestId: 'req-1' }]);
    expect(submitted).toEqual({
      outcome: 'created',
      run: { runId: 'r1', status: 'queued', digest: 'd', createdAt: expect.any(Number), startedAt: null, endedAt: null, lane, revision: 0 },
    });
    const reader = storage.lanes([lane]);
    const [delivered] = await reader.wait(1_000, new AbortController().signal);
    expect(delivered).toMatchObject({ runId: 'r1', lane, bits: 'req-1' });
    const [claim] = await storage.runs.claim([
      { ...delivered!, tokenBits: 'tok', owner: 'w1', leaseMs: 5_000, activationBudget: 5, setAsideError: 'e' },
    ]);
    expect(claim).toMatchObject({ kind: 'claimed', head: { token: '1.tok', input: '{"a":1}', status: 'running' } });
    const base = { runId: 'r1', token: '1.tok', opens: false };
    expect(await storage.runs.commit([{ ...base, revision: 0, writes: [['0', '+0;a;"x"']], then: { kind: 'continue' } }])).toEqual(['ok']);
    expect(await storage.runs.heartbeat({ claims: [{ runId: 'r1', token: '1.tok', inbox: '0.req-1' }], leaseMs: 5_000 })).toEqual({
      now: expect.any(Number),
      lost: [],
      moved: [],
    });
    expect(await storage.runs.readJournal({ runId: 'r1', from: 0, journalEnd: 0 })).toEqual({ entries: [[0, '+0;a;"x"']], next: null });
    expect(
      await storage.runs.commit([{ ...base, revision: 1, writes: [], then: { kind: 'end', status: 'completed', output: { ref: 0 } } }]),
    ).toEqual(['ok']);
    expect(await storage.inspector.getRun('r1')).toMatchObject({
      status: 'completed',
      output: '"x"',
      token: null,
      lastToken: '1.tok',
      revision: 2,
    });
    expect(await storage.inspector.counts()).toEqual([{ workflow: 'fulfil-order', status: 'completed', count: 1 }]);
    expect((await storage.inspector.list({ limit: 10 })).runs).toMatchObject([{ runId: 'r1', status: 'completed' }]);
    await storage.ping();
  });
});
