import { describe, expect, it } from '@jest/globals';
import { idsOfOnePartition, only, SET_ASIDE_ERROR, SHORT_LEASE_MS, useBench } from '../bench.js';
import type { OpenHarness } from '../harness.js';

/** What becomes of a run whose worker is gone. */
export function takeOverRules(open: OpenHarness): void {
  describe('take-over', () => {
    const bench = useBench(open);

    it('buries a lapsed claim and makes the run ready: its activation is answered and in the lane', async () => {
      const held = await bench().startLapsed();
      const answer = await bench().pump({}, bench().second);
      expect(answer).toMatchObject({ buried: 1, fired: 0, setAside: [] });
      const head = await bench().head(held.runId);
      expect(head).toMatchObject({ status: 'queued', token: null, deadClaims: 1, revision: 0 });
      expect(only(answer.activations)).toEqual({ runId: held.runId, lane: held.lane, ...head.activation });
      expect(await bench().deliverAll()).toEqual(answer.activations);
      expect(await bench().commit(held)).toBe('lost');
      await bench().hold(only(answer.activations), { owner: 'worker-2' }, bench().second);
    });

    it('leaves a live claim alone', async () => {
      const held = await bench().start();
      expect(await bench().pump()).toMatchObject({ buried: 0, activations: [] });
      await bench().apply(held);
    });

    it('does nothing on an empty namespace but tell the time', async () => {
      const before = await bench().runs.now();
      const { now, ...answer } = await bench().pump();
      expect(answer).toEqual({ activations: [], buried: 0, fired: 0, setAside: [], nextWakeAt: null });
      expect(now).toBeGreaterThanOrEqual(before);
    });

    it('sweep-recheck: two pumps at once bury a claim once', async () => {
      for (let lapsed = 0; lapsed < 10; lapsed += 1) {
        await bench().start({}, { leaseMs: SHORT_LEASE_MS });
      }
      await bench().harness.timePasses(SHORT_LEASE_MS + 1);
      const pumps = await Promise.all([bench().pump(), bench().pump({}, bench().second), bench().pump()]);
      expect(pumps.reduce((sum, { buried }) => sum + buried, 0)).toBe(10);
      expect(pumps.flatMap(({ activations }) => activations)).toHaveLength(10);
      expect(await bench().deliverAll()).toHaveLength(10);
    });

    it('buries at most so many in a partition as it is told, and the others at the next pumps', async () => {
      const ids = idsOfOnePartition(3);
      for (const runId of ids) {
        await bench().start({ runId }, { leaseMs: SHORT_LEASE_MS });
      }
      await bench().harness.timePasses(SHORT_LEASE_MS + 1);
      const buried: number[] = [];
      for (let round = 0; round < 4; round += 1) {
        buried.push((await bench().pump({ limit: 1 })).buried);
      }
      expect(buried).toEqual([1, 1, 1, 0]);
    });

    it('charge-by-token: a claim that had opened an attempt is charged to the attempt, not to the activations', async () => {
      const held = await bench().start({}, { leaseMs: SHORT_LEASE_MS });
      await bench().apply(held, { opens: true, openAttempts: 1 });
      await bench().harness.timePasses(SHORT_LEASE_MS + 1);
      const next = await bench().hold(only((await bench().pump()).activations), { leaseMs: SHORT_LEASE_MS });
      expect((await bench().head(held.runId)).deadClaims).toBe(0);
      await bench().harness.timePasses(SHORT_LEASE_MS + 1);
      await bench().pump();
      expect(await bench().head(held.runId)).toMatchObject({ deadClaims: 1, revision: next.revision });
    });

    it('charge-by-token: attempts that had ended before the death are not open', async () => {
      const held = await bench().start({}, { leaseMs: SHORT_LEASE_MS });
      await bench().apply(held, { opens: true, openAttempts: 1 });
      await bench().apply(held, { openAttempts: 0 });
      await bench().harness.timePasses(SHORT_LEASE_MS + 1);
      await bench().pump();
      expect((await bench().head(held.runId)).deadClaims).toBe(1);
    });

    it('charge-by-token: an attempt that was open when the claim was handed back is nothing to the next claim', async () => {
      const held = await bench().start();
      await bench().apply(held, { opens: true, openAttempts: 1 });
      await bench().release(held);
      await bench().hold(await bench().deliver(held.runId), { leaseMs: SHORT_LEASE_MS });
      await bench().harness.timePasses(SHORT_LEASE_MS + 1);
      await bench().pump();
      expect((await bench().head(held.runId)).deadClaims).toBe(1);
    });

    it('sets a run aside whose claims die in a row without opening anything, with the reason, and shows it', async () => {
      const { run } = await bench().submit();
      let activation = await bench().deliver(run.runId);
      for (let death = 1; death < 3; death += 1) {
        await bench().hold(activation, { leaseMs: SHORT_LEASE_MS });
        await bench().harness.timePasses(SHORT_LEASE_MS + 1);
        activation = only((await bench().pump({ activationBudget: 3 })).activations);
        expect((await bench().head(run.runId)).deadClaims).toBe(death);
      }
      await bench().hold(activation, { leaseMs: SHORT_LEASE_MS });
      await bench().harness.timePasses(SHORT_LEASE_MS + 1);
      expect(await bench().pump({ activationBudget: 3 })).toMatchObject({ buried: 1, activations: [], setAside: [run.runId] });
      const head = await bench().head(run.runId);
      expect(head).toMatchObject({ status: 'set-aside', error: SET_ASIDE_ERROR, deadClaims: 3, token: null, activation: null });
      expect(head.endedAt).not.toBeNull();
      expect(await bench().pump()).toMatchObject({ buried: 0, setAside: [] });
    });

    it('begins to count again after any progress', async () => {
      const first = await bench().startLapsed();
      const second = await bench().hold(only((await bench().pump()).activations), { leaseMs: SHORT_LEASE_MS });
      expect((await bench().head(first.runId)).deadClaims).toBe(1);
      await bench().apply(second);
      expect((await bench().head(first.runId)).deadClaims).toBe(0);
      await bench().harness.timePasses(SHORT_LEASE_MS + 1);
      await bench().pump();
      expect((await bench().head(first.runId)).deadClaims).toBe(1);
    });

    it('keeps a cancel request over the death of the owner', async () => {
      const held = await bench().start();
      await bench().cancel(held.runId, 'request-1');
      await bench().runs.heartbeat({ claims: [{ ...held, inbox: '' }], leaseMs: SHORT_LEASE_MS });
      await bench().harness.timePasses(SHORT_LEASE_MS + 1);
      const next = await bench().hold(only((await bench().pump()).activations));
      expect(await bench().runs.look(next)).toMatchObject({ cancel: { requestId: 'request-1' } });
    });
  });

  describe('take-back', () => {
    const bench = useBench(open);
    const takeBack = (owner: string, over: object = {}) =>
      bench().second.runs.takeBack({ owner, lanes: [bench().lane], activationBudget: 5, setAsideError: SET_ASIDE_ERROR, ...over });

    it('buries the claims of a dead incarnation whatever their leases say, and of no other', async () => {
      const [dead, alive] = [await bench().start({}, { owner: 'w1.old' }), await bench().start({}, { owner: 'w1.new' })];
      const activations = await takeBack('w1.old');
      const { activation } = await bench().head(dead.runId);
      expect(activations).toEqual([{ runId: dead.runId, lane: dead.lane, ...activation }]);
      expect(await bench().head(dead.runId)).toMatchObject({ status: 'queued', deadClaims: 1 });
      expect(await bench().commit(dead)).toBe('lost');
      await bench().apply(alive);
      const next = await bench().hold(only(activations), { owner: 'w1.new' });
      expect(next.token).not.toBe(dead.token);
    });

    it('takes only runs of the lanes that it is told', async () => {
      const lane = { ...bench().lane, version: 2 };
      const other = await bench().start({ lane }, { owner: 'w1.old' });
      expect(await takeBack('w1.old')).toEqual([]);
      await bench().apply(other);
      expect(await takeBack('w1.old', { lanes: [bench().lane, lane] })).toHaveLength(1);
    });

    it('finds nothing the second time, and nothing of runs that the incarnation gave up itself', async () => {
      const [held, released, parked, ended] = [
        await bench().start({}, { owner: 'w1.old' }),
        await bench().start({}, { owner: 'w1.old' }),
        await bench().start({}, { owner: 'w1.old' }),
        await bench().start({}, { owner: 'w1.old' }),
      ];
      await bench().release(released);
      await bench().park(parked, { wakeAt: (await bench().runs.now()) + 3_600_000 });
      await bench().end(ended);
      expect((await takeBack('w1.old')).map(({ runId }) => runId)).toEqual([held.runId]);
      expect(await takeBack('w1.old')).toEqual([]);
    });

    it('leaves a run alone that a later incarnation has claimed', async () => {
      const held = await bench().start({}, { owner: 'w1.old' });
      await bench().release(held);
      const next = await bench().hold(await bench().deliver(held.runId), { owner: 'w1.new' });
      expect(await takeBack('w1.old')).toEqual([]);
      await bench().apply(next);
    });

    it('charges the death: a run over its activation budget is set aside and not answered', async () => {
      const held = await bench().start({}, { owner: 'w1.old' });
      expect(await takeBack('w1.old', { activationBudget: 1 })).toEqual([]);
      expect(await bench().head(held.runId)).toMatchObject({ status: 'set-aside', error: SET_ASIDE_ERROR });
    });

    it('takes many, wherever they are', async () => {
      const requests = Array.from({ length: 120 }, () => bench().submission());
      await bench().runs.submit(requests);
      await bench().runs.claim((await bench().deliverAll()).map((activation) => bench().claimRequest(activation, { owner: 'w1.old' })));
      expect((await takeBack('w1.old')).map(({ runId }) => runId).sort()).toEqual(requests.map(({ runId }) => runId).sort());
    });
  });
}
