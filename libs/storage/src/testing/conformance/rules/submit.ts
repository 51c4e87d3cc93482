import { describe, expect, it } from '@jest/globals';
import { only, useBench } from '../bench.js';
import type { OpenHarness } from '../harness.js';

/** What a submission promises: invariant 6. */
export function submitRules(open: OpenHarness): void {
  describe('submit', () => {
    const bench = useBench(open);

    it('makes a queued run of what was submitted, at server time', async () => {
      const before = await bench().runs.now();
      const request = bench().submission();
      const { outcome, run } = only(await bench().runs.submit([request]));
      expect(outcome).toBe('created');
      expect(run).toEqual({
        runId: request.runId,
        status: 'queued',
        digest: request.digest,
        createdAt: run.createdAt,
        startedAt: null,
        endedAt: null,
        lane: request.lane,
        revision: 0,
      });
      expect(run.createdAt).toBeGreaterThanOrEqual(before);
      expect(run.createdAt).toBeLessThanOrEqual(await bench().runs.now());
      expect(await bench().head(run.runId)).toMatchObject({
        ...run,
        input: request.input,
        output: null,
        error: null,
        token: null,
        lastToken: null,
        inbox: `0.${request.requestId}`,
        owner: null,
        wakeAt: null,
        deadClaims: 0,
        cancel: null,
        journalEnd: 0,
        startedAt: null,
        endedAt: null,
      });
    });

    it('puts one activation with the bits of the request into the lane, the one that the record names', async () => {
      const request = bench().submission();
      await bench().runs.submit([request]);
      const { activation } = await bench().head(request.runId);
      const delivered = only(await bench().deliverAll());
      expect(delivered).toEqual({ runId: request.runId, lane: request.lane, ...activation });
      expect(delivered.bits).toBe(request.requestId);
    });

    it('submit-idempotent: an id that is taken starts no second run, and tells of the first', async () => {
      const { run } = await bench().submit({ runId: 'r', digest: 'one', input: '1' });
      const again = await bench().submit({ runId: 'r', digest: 'two', input: '2' }, bench().second);
      expect(again).toEqual({ outcome: 'existing', run });
      expect((await bench().head('r')).input).toBe('1');
      expect(await bench().deliverAll()).toHaveLength(1);
    });

    it('submit-idempotent: its own repetition is answered as the first call, also when the run has gone on', async () => {
      const request = bench().submission();
      const first = only(await bench().runs.submit([request]));
      expect(only(await bench().second.runs.submit([request]))).toEqual(first);
      const held = await bench().hold(await bench().deliver(request.runId));
      await bench().apply(held);
      expect(only(await bench().runs.submit([request]))).toEqual({
        outcome: 'created',
        run: { ...first.run, status: 'running', startedAt: (await bench().head(request.runId)).startedAt, revision: 1 },
      });
      expect(await bench().deliverAll()).toEqual([]);
    });

    it('submit-idempotent: of two clients that submit one id at once, one creates the run', async () => {
      const answers = await Promise.all([bench().submit({ runId: 'r' }), bench().submit({ runId: 'r' }, bench().second)]);
      expect(answers.map(({ outcome }) => outcome).sort()).toEqual(['created', 'existing']);
      expect(await bench().deliverAll()).toHaveLength(1);
    });

    it('treats the members of a list one by one and answers in their order', async () => {
      await bench().submit({ runId: 'b', digest: 'earlier' });
      const requests = ['a', 'b', 'c', 'a'].map((runId) => bench().submission({ runId }));
      const answers = await bench().runs.submit(requests);
      expect(answers.map(({ outcome, run }) => [run.runId, outcome])).toEqual([
        ['a', 'created'],
        ['b', 'existing'],
        ['c', 'created'],
        ['a', 'existing'],
      ]);
      expect(answers[1]?.run.digest).toBe('earlier');
    });

    it('takes an empty list', async () => {
      expect(await bench().runs.submit([])).toEqual([]);
    });

    it('delivers every run wherever its id falls', async () => {
      const requests = Array.from({ length: 60 }, () => bench().submission());
      await bench().runs.submit(requests);
      const delivered = await bench().deliverAll();
      expect(delivered.map(({ runId }) => runId).sort()).toEqual(requests.map(({ runId }) => runId).sort());
    });

    it('keeps any text as input: every character, and a megabyte', async () => {
      const inputs = ['', '"\u0000\r\n\t\\"', '"é ∑ 漢 👩‍🚀 \ufeff"', `"${'x'.repeat(1024 * 1024)}"`];
      for (const [index, input] of inputs.entries()) {
        await bench().submit({ runId: `r${index}`, input });
        expect((await bench().head(`r${index}`)).input).toBe(input);
      }
    });
  });
}
