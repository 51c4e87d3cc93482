import { describe, expect, it } from '@jest/globals';
import { only, useBench } from '../bench.js';
import type { OpenHarness } from '../harness.js';

/** Delivery is no claim; the record decides who gets a run. */
export function claimRules(open: OpenHarness): void {
  describe('claim', () => {
    const bench = useBench(open);

    it('gives the run with its head: a token of epoch and bits, an owner, a lease', async () => {
      const { run } = await bench().submit();
      const request = bench().claimRequest(await bench().deliver(run.runId), { owner: 'w1.abc', leaseMs: 40_000 });
      const answer = only(await bench().runs.claim([request]));
      if (answer.kind !== 'claimed') throw new Error(`the claim was ${answer.kind}`);
      expect(answer.head).toEqual(await bench().head(run.runId));
      expect(answer.head).toMatchObject({
        status: 'running',
        token: `1.${request.tokenBits}`,
        owner: 'w1.abc',
        activation: null,
        startedAt: answer.now,
      });
      expect(await bench().first.inspector.getLease(run.runId)).toBe(answer.now + 40_000);
    });

    it('claim-repeat: the same bits get the same claim again', async () => {
      const { run } = await bench().submit();
      const request = bench().claimRequest(await bench().deliver(run.runId));
      const first = only(await bench().runs.claim([request]));
      const again = only(await bench().second.runs.claim([request]));
      expect(again).toMatchObject({ kind: 'claimed', head: first.kind === 'claimed' ? first.head : undefined });
    });

    it('claim-repeat: a repetition that comes after the claim was given up gets nothing', async () => {
      const { run } = await bench().submit();
      const request = bench().claimRequest(await bench().deliver(run.runId));
      const answer = only(await bench().runs.claim([request]));
      if (answer.kind !== 'claimed') throw new Error(`the claim was ${answer.kind}`);
      await bench().release({ ...answer.head });
      expect(only(await bench().runs.claim([request]))).toEqual({ kind: 'dropped' });
      expect(await bench().deliverAll()).toHaveLength(1);
    });

    it('delete-at-claim: the entry leaves the lane and is delivered to nobody again', async () => {
      await bench().start();
      const reader = bench().reader();
      expect(await reader.reclaim(0, 10)).toEqual([]);
      expect(await reader.read(10)).toEqual([]);
    });

    it('random-token: of two who hold copies of an activation one gets the run', async () => {
      const { run } = await bench().submit();
      const activation = await bench().deliver(run.runId);
      const answers = await Promise.all([bench().claim(activation), bench().claim(activation, {}, bench().second)]);
      expect(answers.map(({ kind }) => kind).sort()).toEqual(['claimed', 'dropped']);
    });

    it('random-token: each claim has a token of its own; epochs rise', async () => {
      const held = await bench().start();
      await bench().release(held);
      const next = await bench().hold(await bench().deliver(held.runId));
      expect(held.token).toMatch(/^1\./);
      expect(next.token).toMatch(/^2\./);
      expect(await bench().commit({ ...held, revision: next.revision })).toBe('lost');
    });

    it('live-lease-check: a copy of the entry takes nothing from who holds the run', async () => {
      const { run } = await bench().submit();
      const activation = await bench().deliver(run.runId);
      const held = await bench().hold(activation);
      expect((await bench().claim(activation, {}, bench().second)).kind).not.toBe('claimed');
      await bench().apply(held);
    });

    it('entry-is-current: an entry of an earlier turn of the run claims nothing, and the current one stays', async () => {
      const { run } = await bench().submit();
      const stale = await bench().deliver(run.runId);
      await bench().release(await bench().hold(stale));
      expect(await bench().claim(stale)).toEqual({ kind: 'dropped' });
      await bench().hold(await bench().deliver(run.runId));
    });

    it('entry-unique: the id without the bits claims nothing, and the entry stays deliverable', async () => {
      const { run } = await bench().submit();
      const activation = await bench().deliver(run.runId);
      expect(await bench().claim({ ...activation, bits: bench().bits() })).toEqual({ kind: 'dropped' });
      const reader = bench().reader();
      expect(await reader.reclaim(0, 10)).toEqual([activation]);
      await bench().hold(activation);
    });

    it('claims nothing through another lane than the run’s', async () => {
      const { run } = await bench().submit();
      const activation = await bench().deliver(run.runId);
      expect(await bench().claim({ ...activation, lane: { ...bench().lane, version: 2 } })).toEqual({ kind: 'dropped' });
      await bench().hold(activation);
    });

    it('drops the entry of a run that is not there or has ended', async () => {
      expect(await bench().claim({ runId: 'nobody', entryId: '1-1', bits: bench().bits(), lane: bench().lane })).toEqual({
        kind: 'dropped',
      });
      const { run } = await bench().submit();
      const activation = await bench().deliver(run.runId);
      await bench().cancel(run.runId);
      expect(await bench().claim(activation)).toEqual({ kind: 'dropped' });
    });

    it('treats the members of a list one by one and answers in their order', async () => {
      const { run } = await bench().submit();
      const activation = await bench().deliver(run.runId);
      const nobody = { runId: 'nobody', entryId: '1-1', bits: bench().bits(), lane: bench().lane };
      const answers = await bench().runs.claim([nobody, activation, activation].map((each) => bench().claimRequest(each)));
      expect(answers.map(({ kind }) => kind)).toEqual(['dropped', 'claimed', 'dropped']);
      expect(await bench().runs.claim([])).toEqual([]);
    });

    it('keeps the instant of the first claim', async () => {
      const held = await bench().start();
      const { startedAt } = await bench().head(held.runId);
      await bench().release(held);
      await bench().harness.timePasses(2);
      await bench().hold(await bench().deliver(held.runId));
      expect((await bench().head(held.runId)).startedAt).toBe(startedAt);
    });
  });
}
