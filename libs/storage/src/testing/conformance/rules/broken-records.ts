import { describe, expect, it } from '@jest/globals';
import { only, SHORT_LEASE_MS, useBench } from '../bench.js';
import type { OpenHarness, RecordFault } from '../harness.js';

/** A record that a hand has spoiled concerns itself alone. */
export function brokenRecordRules(open: OpenHarness): void {
  describe.each<RecordFault>(['not-a-record', 'field-missing'])('a broken record (%s)', (fault) => {
    const bench = useBench(open);

    it('is not claimed, and the others of the list are', async () => {
      const [good, bad] = [(await bench().submit()).run, (await bench().submit()).run];
      const activations = await bench().deliverAll();
      await bench().harness.breakRecord(bad.runId, fault);
      const answers = await bench().runs.claim(activations.map((activation) => bench().claimRequest(activation)));
      expect(Object.fromEntries(activations.map(({ runId }, index) => [runId, answers[index]?.kind]))).toEqual({
        [good.runId]: 'claimed',
        [bad.runId]: 'dropped',
      });
    });

    it('is lost to its owner when the claim is gone with it, and the others of the list are not', async () => {
      const [good, bad] = [await bench().start(), await bench().start()];
      await bench().harness.breakRecord(bad.runId, 'not-a-record');
      expect(await bench().runs.commit([bench().change(bad), bench().change(good)])).toEqual(['lost', 'ok']);
      expect(await bench().runs.heartbeat({ claims: [bad, good], leaseMs: 60_000 })).toMatchObject({ lost: [bad.runId] });
      expect(await bench().runs.renew({ ...bad, newToken: '1.new', leaseMs: 1_000 })).toBe('lost');
      expect(await bench().runs.look(bad)).toBe('lost');
      for (const then of [
        { kind: 'release', bits: 'b' },
        { kind: 'park', inbox: bad.inbox, wakeAt: null },
        { kind: 'end', status: 'failed' },
      ] as const) {
        expect(await bench().commit(bad, { then })).toBe('lost');
      }
    });

    it('keeps its id taken, and equals no request', async () => {
      const { run } = await bench().submit({ runId: 'r' });
      await bench().harness.breakRecord(run.runId, fault);
      const again = await bench().submit({ runId: 'r' });
      expect(again.outcome).toBe('existing');
      expect(await bench().deliverAll()).toHaveLength(1);
      expect(again.run.status).toBe('set-aside');
    });

    it('answers a cancel "closed"', async () => {
      const { run } = await bench().submit();
      await bench().harness.breakRecord(run.runId, fault);
      expect(await bench().cancel(run.runId)).toBe('closed');
    });

    it('does not stop a pump: the others are buried and woken', async () => {
      const bad = await bench().start({}, { leaseMs: SHORT_LEASE_MS });
      const lapsed = await bench().start({}, { leaseMs: SHORT_LEASE_MS });
      const parked = await bench().start();
      const badParked = await bench().start();
      await bench().park(parked, { wakeAt: await bench().runs.now() });
      await bench().park(badParked, { wakeAt: await bench().runs.now() });
      await bench().harness.timePasses(SHORT_LEASE_MS + 1);
      await bench().harness.breakRecord(bad.runId, fault);
      await bench().harness.breakRecord(badParked.runId, fault);
      const answer = await bench().pump();
      expect(answer).toMatchObject({ buried: 1, fired: 1 });
      expect(answer.activations.map(({ runId }) => runId).sort()).toEqual([lapsed.runId, parked.runId].sort());
    });

    it('does not stop a take-back', async () => {
      const [bad, good] = [await bench().start({}, { owner: 'w1.old' }), await bench().start({}, { owner: 'w1.old' })];
      await bench().harness.breakRecord(bad.runId, fault);
      const request = { owner: 'w1.old', lanes: [bench().lane], activationBudget: 5, setAsideError: 'error' };
      expect((await bench().runs.takeBack(request)).map(({ runId }) => runId)).toEqual([good.runId]);
    });

    it('is listed with its reason and hides no other', async () => {
      const [good, bad] = [(await bench().submit()).run, (await bench().submit()).run];
      await bench().harness.breakRecord(bad.runId, fault);
      const { runs } = await bench().first.inspector.list({ limit: 10 });
      expect(runs.find(({ runId }) => runId === good.runId)).toMatchObject({ status: 'queued' });
      const broken = only(runs.filter(({ runId }) => runId === bad.runId));
      expect(broken).toEqual({ runId: bad.runId, broken: expect.stringMatching(/\S/) });
    });
  });
}
