import { describe, expect, it } from '@jest/globals';
import { only, SHORT_LEASE_MS, useBench } from '../bench.js';
import type { OpenHarness } from '../harness.js';

/** A token belongs to one history: invariant 5. */
export function renewAndLossRules(open: OpenHarness): void {
  describe('renew', () => {
    const bench = useBench(open);
    const renewal = (held: { runId: string; token: string }, newToken: string) => ({ ...held, newToken, leaseMs: 30_000 });

    it('replaces the token and gives a new lease; revision and journal stay', async () => {
      const held = await bench().start();
      await bench().apply(held, { writes: [['0', 'kept']] });
      const before = await bench().runs.now();
      const newToken = `1.${bench().bits()}`;
      const head = await bench().runs.renew(renewal(held, newToken));
      expect(head).toEqual(await bench().head(held.runId));
      expect(head).toMatchObject({ token: newToken, revision: 1, status: 'running' });
      expect(await bench().first.inspector.getLease(held.runId)).toBeGreaterThanOrEqual(before + 30_000);
      expect(await bench().journal(held.runId)).toEqual({ 0: 'kept' });
    });

    it('renew-on-reload: what was sent under the old token is refused after it', async () => {
      const held = await bench().start();
      const newToken = `1.${bench().bits()}`;
      await bench().runs.renew(renewal(held, newToken));
      expect(await bench().commit(held, { writes: [['0', 'late']] })).toBe('lost');
      expect(await bench().runs.heartbeat({ claims: [held], leaseMs: 1_000 })).toMatchObject({ lost: [held.runId] });
      expect(await bench().runs.look(held)).toBe('lost');
      await bench().apply({ ...held, token: newToken });
    });

    it('answers a repetition as the first call', async () => {
      const held = await bench().start();
      const request = renewal(held, `1.${bench().bits()}`);
      const first = await bench().runs.renew(request);
      expect(await bench().second.runs.renew(request)).toEqual(first);
    });

    it('is lost under any other token, and where nobody holds the run', async () => {
      const held = await bench().start();
      expect(await bench().runs.renew(renewal({ ...held, token: '1.other' }, '1.new'))).toBe('lost');
      await bench().release(held);
      expect(await bench().runs.renew(renewal(held, '1.new'))).toBe('lost');
      expect(await bench().runs.renew(renewal({ ...held, token: '' }, '1.new'))).toBe('lost');
      expect(await bench().runs.renew(renewal({ ...held, runId: 'nobody' }, '1.new'))).toBe('lost');
    });

    it('charge-by-token: what was opened under the old token is not open under the new one', async () => {
      const held = await bench().start();
      await bench().apply(held, { opens: true, openAttempts: 1 });
      await bench().runs.renew({ ...held, newToken: `1.${bench().bits()}`, leaseMs: SHORT_LEASE_MS });
      await bench().harness.timePasses(SHORT_LEASE_MS + 1);
      expect((await bench().pump()).buried).toBe(1);
      expect((await bench().head(held.runId)).deadClaims).toBe(1);
    });
  });

  describe('lost writes', () => {
    const bench = useBench(open);

    it('revision-cas: an owner whose commits were lost is told "stale", renews, reads what is there and writes on', async () => {
      const held = await bench().start();
      await bench().apply(held, { writes: [['0', 'safe']] });
      const lose = await bench().harness.snapshot();
      await bench().apply(held, { writes: [['1', 'lost']] });
      await bench().apply(held, { writes: [['2', 'lost too']] });
      await lose();
      expect(await bench().commit(held, { writes: [['3', 'on top']] })).toBe('stale');
      const head = await bench().runs.renew({ ...held, newToken: `1.${bench().bits()}`, leaseMs: 30_000 });
      if (head === 'lost') throw new Error('the claim was to be there');
      expect(head.revision).toBe(1);
      expect(await bench().journal(held.runId)).toEqual({ 0: 'safe' });
      await bench().apply({ ...held, token: head.token ?? '', revision: 1 }, { writes: [['1', 'again']] });
    });

    it('an owner whose last commit alone was lost repeats it as if it had never been sent', async () => {
      const held = await bench().start();
      const lose = await bench().harness.snapshot();
      expect(await bench().commit(held, { writes: [['0', 'x']] })).toBe('ok');
      await lose();
      expect(await bench().commit(held, { writes: [['0', 'x']] })).toBe('ok');
      expect(await bench().journal(held.runId)).toEqual({ 0: 'x' });
    });

    it('random-token: a claim that was lost is gone for good; the activation is there again', async () => {
      const { run } = await bench().submit();
      const lose = await bench().harness.snapshot();
      const held = await bench().hold(await bench().deliver(run.runId));
      await bench().apply(held, { writes: [['0', 'lost']] });
      await lose();
      expect(await bench().commit(held, { writes: [['1', 'x']] })).toBe('lost');
      expect(await bench().runs.heartbeat({ claims: [held], leaseMs: 1_000 })).toMatchObject({ lost: [run.runId] });
      const next = await bench().hold(await bench().deliver(run.runId), {}, bench().second);
      expect(next.token).not.toBe(held.token);
      expect(next.revision).toBe(0);
    });

    it('entry-unique: an entry id that is given again does not make an old copy current', async () => {
      const held = await bench().start();
      const lose = await bench().harness.snapshot();
      await bench().release(held);
      const lost = await bench().deliver(held.runId);
      await lose();
      await bench().release({ ...held, revision: 0 });
      expect(await bench().claim(lost)).toEqual({ kind: 'dropped' });
      await bench().hold(await bench().deliver(held.runId));
    });

    it('a park that was lost leaves the claim, and its owner can send it again', async () => {
      const held = await bench().start();
      const lose = await bench().harness.snapshot();
      const parking = { then: { kind: 'park', inbox: held.inbox, wakeAt: (await bench().runs.now()) + 3_600_000 } as const };
      expect(await bench().commit(held, parking)).toBe('ok');
      await lose();
      expect(await bench().commit(held, parking)).toBe('ok');
      expect((await bench().head(held.runId)).status).toBe('waiting');
    });

    it('a run whose submission was lost is not there: its owner has lost it, and it can be submitted again', async () => {
      const lose = await bench().harness.snapshot();
      const request = bench().submission();
      await bench().runs.submit([request]);
      const held = await bench().hold(await bench().deliver(request.runId));
      await lose();
      expect(await bench().commit(held)).toBe('lost');
      expect(await bench().runs.renew({ ...held, newToken: '1.new', leaseMs: 1_000 })).toBe('lost');
      expect(await bench().cancel(request.runId)).toBe('missing');
      expect(only(await bench().runs.submit([request])).outcome).toBe('created');
      await bench().hold(await bench().deliver(request.runId));
    });

    it('a renewal that was lost can be asked for again', async () => {
      const held = await bench().start();
      const lose = await bench().harness.snapshot();
      const request = { ...held, newToken: `1.${bench().bits()}`, leaseMs: 30_000 };
      await bench().runs.renew(request);
      await lose();
      expect(await bench().runs.renew(request)).toMatchObject({ token: request.newToken });
    });

    it('a cancel that was lost is asked for again by whoever was answered', async () => {
      const held = await bench().start();
      const lose = await bench().harness.snapshot();
      await bench().cancel(held.runId, 'request-1');
      await lose();
      expect(await bench().runs.look(held)).toMatchObject({ cancel: null, inbox: held.inbox });
      expect(await bench().cancel(held.runId, 'request-1')).toBe('cancelling');
      expect(await bench().runs.look(held)).toMatchObject({ cancel: { requestId: 'request-1' } });
    });
  });
}
