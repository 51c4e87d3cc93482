import { describe, expect, it } from '@jest/globals';
import { only, useBench } from '../bench.js';
import type { OpenHarness } from '../harness.js';
import { signalledBell } from '../signalled-bell.js';

/** A cancel request is durable at once; who holds the run ends it. */
export function cancelRules(open: OpenHarness): void {
  describe('cancel', () => {
    const bench = useBench(open);

    it('ends a queued run and takes its activation out of the lane', async () => {
      const { run } = await bench().submit();
      expect(await bench().cancel(run.runId, 'request-1')).toBe('cancelled');
      const head = await bench().head(run.runId);
      expect(head).toMatchObject({ status: 'cancelled', activation: null, cancel: { requestId: 'request-1', reason: 'no longer wanted' } });
      expect(head.endedAt).toBe(head.cancel?.at);
      expect(await bench().deliverAll()).toEqual([]);
    });

    it('ends a waiting run and takes its timer away', async () => {
      const held = await bench().start();
      await bench().park(held, { wakeAt: (await bench().runs.now()) + 1 });
      expect(await bench().cancel(held.runId)).toBe('cancelled');
      await bench().harness.timePasses(2);
      expect(await bench().pump()).toMatchObject({ fired: 0, activations: [], nextWakeAt: null });
      expect(await bench().head(held.runId)).toMatchObject({ status: 'cancelled', wakeAt: null });
    });

    it('leaves no timer that is not due yet', async () => {
      const held = await bench().start();
      await bench().park(held, { wakeAt: (await bench().runs.now()) + 3_600_000 });
      await bench().cancel(held.runId);
      expect((await bench().pump()).nextWakeAt).toBeNull();
    });

    it('ends a run that waits without a timer', async () => {
      const held = await bench().start();
      await bench().apply(held, { then: { kind: 'park', inbox: held.inbox, wakeAt: null } });
      expect(await bench().cancel(held.runId)).toBe('cancelled');
    });

    it('bell-under-claim: leaves a run that somebody holds to its owner, rings, and makes no activation', async () => {
      const held = await bench().start({}, { owner: 'w1.abc' });
      const bell = await signalledBell(bench().second, 'w1.abc');
      expect(await bench().cancel(held.runId, 'request-1')).toBe('cancelling');
      await bell.rung(held.runId);
      expect(await bench().head(held.runId)).toMatchObject({ status: 'running', token: held.token, activation: null });
      expect(await bench().deliverAll()).toEqual([]);
      expect(await bench().runs.look(held)).toMatchObject({ cancel: { requestId: 'request-1', reason: 'no longer wanted' } });
      await bell.close();
    });

    it('inbox-unique: the request moves the inbox counter and is in it', async () => {
      const held = await bench().start();
      await bench().cancel(held.runId, 'request-1');
      const seen = await bench().runs.look(held);
      expect(seen).toMatchObject({ inbox: '1.request-1' });
      expect(held.inbox).not.toBe('1.request-1');
    });

    it('answers a repetition as it answered the first, and moves the counter once', async () => {
      const held = await bench().start();
      expect(await bench().cancel(held.runId, 'request-1')).toBe('cancelling');
      const { cancel, inbox } = await bench().head(held.runId);
      expect(await bench().cancel(held.runId, 'request-1', bench().second)).toBe('cancelling');
      expect(await bench().head(held.runId)).toMatchObject({ cancel, inbox });
      await bench().end(held, { status: 'cancelled' });
      expect(await bench().cancel(held.runId, 'request-1')).toBe('cancelling');
      const { run } = await bench().submit();
      expect(await bench().cancel(run.runId, 'request-2')).toBe('cancelled');
      expect(await bench().cancel(run.runId, 'request-2')).toBe('cancelled');
    });

    it('keeps the first of two requests', async () => {
      const held = await bench().start();
      await bench().cancel(held.runId, 'request-1');
      expect(await bench().cancel(held.runId, 'request-2')).toBe('cancelling');
      expect(await bench().head(held.runId)).toMatchObject({ cancel: { requestId: 'request-1' }, inbox: '1.request-1' });
    });

    it.each(['completed', 'failed', 'cancelled'] as const)(
      'answers "closed" for a run that has %s, and changes nothing',
      async (status) => {
        const held = await bench().start();
        await bench().end(held, { status });
        const before = await bench().head(held.runId);
        expect(await bench().cancel(held.runId)).toBe('closed');
        expect(await bench().head(held.runId)).toEqual(before);
      },
    );

    it('answers "missing" for a run that is not there', async () => {
      expect(await bench().cancel('nobody')).toBe('missing');
    });

    it('ends a run that was set aside: the operator gives it up', async () => {
      const held = await bench().start();
      await bench().end(held, { status: 'set-aside', error: 'error: x' });
      expect(await bench().cancel(held.runId)).toBe('cancelled');
      expect(await bench().head(held.runId)).toMatchObject({ status: 'cancelled', error: 'error: x' });
    });

    it('ends a run whose claim has lapsed; the old owner has lost it', async () => {
      const held = await bench().startLapsed();
      expect(await bench().cancel(held.runId)).toBe('cancelled');
      expect(await bench().commit(held)).toBe('lost');
      expect(await bench().runs.heartbeat({ claims: [held], leaseMs: 1_000 })).toMatchObject({ lost: [held.runId] });
      expect(await bench().pump()).toMatchObject({ buried: 0, activations: [] });
    });

    it('a request that its owner did not live to see is there for the next owner', async () => {
      const held = await bench().start();
      await bench().cancel(held.runId, 'request-1');
      await bench().release(held);
      const next = await bench().hold(await bench().deliver(held.runId));
      expect(await bench().runs.look(next)).toMatchObject({ cancel: { requestId: 'request-1' } });
      expect(await bench().commit(next, { opens: true })).toBe('look');
    });

    it('of a cancel and a claim at once, each sees the other or comes first', async () => {
      const { run } = await bench().submit();
      const activation = await bench().deliver(run.runId);
      const [claimed, cancelled] = await Promise.all([bench().claim(activation), bench().cancel(run.runId, 'request-1', bench().second)]);
      expect([claimed.kind, cancelled]).toEqual(claimed.kind === 'claimed' ? ['claimed', 'cancelling'] : ['dropped', 'cancelled']);
      expect((await bench().head(run.runId)).cancel?.requestId).toBe('request-1');
    });

    it('takes any text as a reason', async () => {
      const { run } = await bench().submit();
      const reason = 'two  words\nand a line, é 漢';
      await bench().runs.cancel({ runId: run.runId, requestId: bench().bits(), reason });
      expect((await bench().head(run.runId)).cancel?.reason).toBe(reason);
      const other = only(await bench().runs.submit([bench().submission()]));
      await bench().runs.cancel({ runId: other.run.runId, requestId: bench().bits(), reason: '' });
      expect((await bench().head(other.run.runId)).cancel?.reason).toBe('');
    });
  });
}
