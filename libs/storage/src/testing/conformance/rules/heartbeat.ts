import { describe, expect, it } from '@jest/globals';
import { useBench } from '../bench.js';
import type { OpenHarness } from '../harness.js';

/** A lease moves only for the holder of the token. */
export function heartbeatRules(open: OpenHarness): void {
  describe('heartbeat', () => {
    const bench = useBench(open);

    it('moves the lease of a claim to server time + lease', async () => {
      const held = await bench().start({}, { leaseMs: 5_000 });
      const answer = await bench().runs.heartbeat({ claims: [held], leaseMs: 90_000 });
      expect(answer).toEqual({ now: answer.now, lost: [], moved: [] });
      expect(await bench().first.inspector.getLease(held.runId)).toBe(answer.now + 90_000);
    });

    it('answers server time, also for nothing', async () => {
      const before = await bench().runs.now();
      const answer = await bench().runs.heartbeat({ claims: [], leaseMs: 1_000 });
      expect(answer).toEqual({ now: answer.now, lost: [], moved: [] });
      expect(answer.now).toBeGreaterThanOrEqual(before);
    });

    it('commit-token: moves nothing under another token, and says which claims are lost', async () => {
      const [held, ended, other] = [await bench().start(), await bench().start(), await bench().start()];
      await bench().end(ended);
      const lease = await bench().first.inspector.getLease(held.runId);
      const stranger = { ...held, token: `1.${bench().bits()}` };
      const nobody = { ...held, runId: 'nobody' };
      const answer = await bench().runs.heartbeat({ claims: [stranger, ended, nobody, other, { ...held, token: '' }], leaseMs: 90_000 });
      expect([...answer.lost].sort()).toEqual([held.runId, ended.runId, 'nobody', held.runId].sort());
      expect(await bench().first.inspector.getLease(held.runId)).toBe(lease);
      expect(await bench().first.inspector.getLease(ended.runId)).toBeNull();
      expect(await bench().first.inspector.getLease(other.runId)).toBe(answer.now + 90_000);
    });

    it('says whose inbox counter moved since the owner looked', async () => {
      const [quiet, rung] = [await bench().start(), await bench().start()];
      await bench().cancel(rung.runId);
      expect((await bench().runs.heartbeat({ claims: [quiet, rung], leaseMs: 1_000 })).moved).toEqual([rung.runId]);
      const seen = await bench().runs.look(rung);
      if (seen === 'lost') throw new Error('the claim was to be current');
      expect((await bench().runs.heartbeat({ claims: [quiet, { ...rung, inbox: seen.inbox }], leaseMs: 60_000 })).moved).toEqual([]);
    });

    it('revives a lapsed lease while nobody has acted on the lapse', async () => {
      const held = await bench().startLapsed();
      expect(await bench().runs.heartbeat({ claims: [held], leaseMs: 60_000 })).toMatchObject({ lost: [] });
      expect(await bench().pump()).toMatchObject({ buried: 0 });
      await bench().apply(held);
    });

    it('bury-in-ready: revives nothing after somebody has acted on the lapse', async () => {
      const held = await bench().startLapsed();
      await bench().pump();
      expect(await bench().runs.heartbeat({ claims: [held], leaseMs: 60_000 })).toMatchObject({ lost: [held.runId] });
      expect(await bench().first.inspector.getLease(held.runId)).toBeNull();
    });

    it('moves many claims wherever their runs are', async () => {
      const requests = Array.from({ length: 150 }, () => bench().submission());
      await bench().runs.submit(requests);
      const claims = await bench().runs.claim(
        (await bench().deliverAll()).map((activation) => bench().claimRequest(activation, { leaseMs: 5_000 })),
      );
      const held = claims.map((answer) => {
        if (answer.kind !== 'claimed') throw new Error(`a claim was ${answer.kind}`);
        return answer.head;
      });
      expect(held).toHaveLength(150);
      const answer = await bench().second.runs.heartbeat({ claims: held, leaseMs: 90_000 });
      expect(answer).toMatchObject({ lost: [], moved: [] });
      for (const { runId } of held) {
        expect(await bench().first.inspector.getLease(runId)).toBeGreaterThan(answer.now + 80_000);
      }
    });
  });
}
