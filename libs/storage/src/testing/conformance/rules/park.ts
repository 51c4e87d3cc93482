import { describe, expect, it } from '@jest/globals';
import { idsOfOnePartition, only, useBench } from '../bench.js';
import type { OpenHarness } from '../harness.js';

/** Parked runs cost nothing and wake when they must. */
export function parkRules(open: OpenHarness): void {
  describe('park and timers', () => {
    const bench = useBench(open);

    it('releases the claim and waits; the record keeps the token of the commit', async () => {
      const held = await bench().start();
      const wakeAt = (await bench().runs.now()) + 3_600_000;
      await bench().apply(held, { writes: [['0', 'sleeping']], journalEnd: 1, then: { kind: 'park', inbox: held.inbox, wakeAt } });
      expect(await bench().head(held.runId)).toMatchObject({
        status: 'waiting',
        token: null,
        lastToken: held.token,
        revision: 1,
        activation: null,
        wakeAt,
        endedAt: null,
      });
      expect(await bench().journal(held.runId)).toEqual({ 0: 'sleeping' });
      expect(await bench().first.inspector.getLease(held.runId)).toBeNull();
      expect(await bench().deliverAll()).toEqual([]);
    });

    it('park-inbox-counter: refused, nothing written, while something came in that the owner has not seen', async () => {
      const held = await bench().start();
      await bench().cancel(held.runId);
      const wakeAt = (await bench().runs.now()) + 3_600_000;
      const parking = { writes: [['0', 'x']] as const, then: { kind: 'park', inbox: held.inbox, wakeAt } as const };
      expect(await bench().commit(held, parking)).toBe('look');
      expect(await bench().head(held.runId)).toMatchObject({ status: 'running', token: held.token, revision: 0 });
      expect(await bench().journal(held.runId)).toEqual({});
      const seen = await bench().runs.look(held);
      if (seen === 'lost') throw new Error('the claim was to be current');
      expect(await bench().commit(held, { ...parking, then: { ...parking.then, inbox: seen.inbox } })).toBe('ok');
    });

    it('inbox-unique: the counter is compared as a whole, not its number', async () => {
      const held = await bench().start();
      await bench().cancel(held.runId);
      const { inbox } = await bench().head(held.runId);
      const sameNumber = `${Number.parseInt(inbox, 10)}.${bench().bits()}`;
      expect(await bench().commit(held, { then: { kind: 'park', inbox: sameNumber, wakeAt: null } })).toBe('look');
    });

    it('answers a repeated park "lost": the claim is gone in both cases', async () => {
      const held = await bench().start();
      const parking = { then: { kind: 'park', inbox: held.inbox, wakeAt: (await bench().runs.now()) + 3_600_000 } as const };
      expect(await bench().commit(held, parking)).toBe('ok');
      expect(await bench().commit(held, parking)).toBe('lost');
      expect((await bench().head(held.runId)).revision).toBe(1);
    });

    it('does not wake before the timer is due', async () => {
      const held = await bench().start();
      const wakeAt = (await bench().runs.now()) + 3_600_000;
      await bench().park(held, { wakeAt });
      expect(await bench().pump()).toMatchObject({ activations: [], fired: 0, nextWakeAt: wakeAt });
      expect(await bench().head(held.runId)).toMatchObject({ status: 'waiting', wakeAt });
    });

    it('wakes when the timer is due, with one activation, which is answered and in the lane', async () => {
      const held = await bench().start();
      await bench().park(held, { wakeAt: (await bench().runs.now()) + 5 });
      await bench().harness.timePasses(6);
      const due = await bench().pump();
      expect(due).toMatchObject({ fired: 1, buried: 0, setAside: [], nextWakeAt: null });
      expect(await bench().head(held.runId)).toMatchObject({ status: 'queued', wakeAt: null });
      const { activation } = await bench().head(held.runId);
      expect(only(due.activations)).toEqual({ runId: held.runId, lane: held.lane, ...activation });
      expect(only(due.activations)).toEqual(await bench().deliver(held.runId));
    });

    it('fires a timer that was due before it was set at the next pump', async () => {
      const held = await bench().start();
      await bench().park(held, { wakeAt: (await bench().runs.now()) - 5_000 });
      expect((await bench().pump()).fired).toBe(1);
      expect((await bench().pump()).fired).toBe(0);
    });

    it('answers the earliest timer that is not due', async () => {
      const now = await bench().runs.now();
      expect((await bench().pump()).nextWakeAt).toBeNull();
      for (const wakeAt of [now + 90_000, now + 50_000, now + 70_000]) {
        await bench().park(await bench().start(), { wakeAt });
      }
      expect((await bench().pump()).nextWakeAt).toBe(now + 50_000);
    });

    it('sweep-recheck: two pumps at once wake a run once', async () => {
      const now = await bench().runs.now();
      for (let parked = 0; parked < 10; parked += 1) {
        await bench().park(await bench().start(), { wakeAt: now });
      }
      const pumps = await Promise.all([bench().pump(), bench().pump({}, bench().second), bench().pump()]);
      expect(pumps.reduce((sum, { activations }) => sum + activations.length, 0)).toBe(10);
      expect(await bench().deliverAll()).toHaveLength(10);
    });

    it('wakes at most so many in a partition as it is told, the earliest first; the others at the next pumps', async () => {
      const now = await bench().runs.now();
      const ids = idsOfOnePartition(4);
      for (const [index, runId] of ids.entries()) {
        await bench().park(await bench().start({ runId }), { wakeAt: now - 100 + index });
      }
      const woken: string[] = [];
      for (let round = 0; round < ids.length; round += 1) {
        const { activations } = await bench().pump({ limit: 1 });
        woken.push(only(activations).runId);
      }
      expect(woken).toEqual(ids);
    });

    it('goes on after a wake with the journal that was written, under the next epoch', async () => {
      const held = await bench().start();
      await bench().apply(held, { writes: [['0', 'kept']] });
      await bench().park(held, { wakeAt: await bench().runs.now() });
      const activation = only((await bench().pump()).activations);
      const next = await bench().hold(activation, {}, bench().second);
      expect(next.token).toMatch(/^2\./);
      expect(next.revision).toBe(2);
      expect(await bench().journal(held.runId)).toEqual({ 0: 'kept' });
    });

    it('cache-token: last token and revision name the history that was parked, and no other', async () => {
      const held = await bench().start();
      await bench().park(held, { wakeAt: await bench().runs.now() });
      const next = await bench().hold(only((await bench().pump()).activations));
      expect(await bench().head(held.runId)).toMatchObject({ lastToken: held.token, revision: 1 });
      await bench().apply(next);
      expect(await bench().head(held.runId)).toMatchObject({ lastToken: held.token, revision: 2 });
      await bench().park(next, { wakeAt: await bench().runs.now() });
      expect(await bench().head(held.runId)).toMatchObject({ lastToken: next.token, revision: 3 });
      await bench().pump();
    });
  });
}
