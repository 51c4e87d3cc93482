import { describe, expect, it } from '@jest/globals';
import { encodeEntry } from '@millrace/durable';
import { only, useBench } from '../bench.js';
import type { OpenHarness } from '../harness.js';

/** Handing a claim back, and the end that closes everything. */
export function releaseAndEndRules(open: OpenHarness): void {
  describe('release', () => {
    const bench = useBench(open);

    it('makes the run ready at once, with the bits it was given, for anybody', async () => {
      const held = await bench().start();
      const bits = bench().bits();
      expect(await bench().commit(held, { writes: [['0', 'kept']], then: { kind: 'release', bits } })).toBe('ok');
      expect(await bench().head(held.runId)).toMatchObject({
        status: 'queued',
        token: null,
        lastToken: held.token,
        revision: 1,
        activation: { bits },
      });
      expect(await bench().first.inspector.getLease(held.runId)).toBeNull();
      const next = await bench().hold(await bench().deliver(held.runId), { owner: 'worker-2' }, bench().second);
      expect(next.revision).toBe(1);
      expect(await bench().journal(held.runId)).toEqual({ 0: 'kept' });
    });

    it('answers a repetition "lost" and makes no second activation', async () => {
      const held = await bench().start();
      const releasing = { then: { kind: 'release', bits: bench().bits() } as const };
      expect(await bench().commit(held, releasing)).toBe('ok');
      expect(await bench().commit(held, releasing)).toBe('lost');
      expect(await bench().deliverAll()).toHaveLength(1);
    });

    it('is no death: it is charged to nothing', async () => {
      const held = await bench().start();
      await bench().release(held);
      expect((await bench().head(held.runId)).deadClaims).toBe(0);
      expect(await bench().pump()).toMatchObject({ buried: 0, fired: 0 });
    });
  });

  describe('end', () => {
    const bench = useBench(open);

    it.each(['completed', 'failed', 'cancelled', 'set-aside'] as const)(
      'closes a run as %s: claim, lease and activation go with the status',
      async (status) => {
        const held = await bench().start();
        await bench().apply(held, { writes: [['0', 'last']], then: { kind: 'end', status, output: '{"ok":true}', error: 'error: x' } });
        const head = await bench().head(held.runId);
        expect(head).toMatchObject({
          status,
          token: null,
          lastToken: held.token,
          activation: null,
          wakeAt: null,
          revision: 1,
          output: '{"ok":true}',
          error: 'error: x',
        });
        expect(head.endedAt).toBeGreaterThanOrEqual(head.createdAt);
        expect(await bench().first.inspector.getLease(held.runId)).toBeNull();
        expect(await bench().journal(held.runId)).toEqual({ 0: 'last' });
        expect(await bench().deliverAll()).toEqual([]);
        expect(await bench().pump()).toMatchObject({ buried: 0, fired: 0, activations: [], nextWakeAt: null });
      },
    );

    it('leaves output and error empty when it is given none', async () => {
      const held = await bench().start();
      await bench().end(held);
      expect(await bench().head(held.runId)).toMatchObject({ output: null, error: null });
    });

    it('keeps an output that is a confirmed result as a reference, and shows the payload', async () => {
      const held = await bench().start();
      const payload = '{"label":"a;b#c"}';
      const outcome = { startedAfter: 1, endedAfter: 2, handover: 1, revision: 1, used: 1, interruptions: 0, payload };
      const entry = encodeEntry({ kind: 'step', state: 'completed', name: 'print', key: null, ...outcome }, 40);
      await bench().apply(held, { writes: [[(40).toString(36), entry]], journalEnd: 41 });
      await bench().end(held, { output: { ref: 40 } });
      expect((await bench().head(held.runId)).output).toBe(payload);
    });

    it('answers a repetition, and whatever the owner sends after it, "lost"', async () => {
      const held = await bench().start();
      const ending = { then: { kind: 'end', status: 'completed', output: '1' } as const };
      expect(await bench().commit(held, ending)).toBe('ok');
      expect(await bench().commit(held, ending)).toBe('lost');
      expect(await bench().commit({ ...held, revision: 1 }, { writes: [['0', 'x']] })).toBe('lost');
      expect(await bench().runs.look(held)).toBe('lost');
      expect(await bench().head(held.runId)).toMatchObject({ status: 'completed', revision: 1, output: '1' });
    });

    it('can end a run over a cancel request: what was done is done', async () => {
      const held = await bench().start();
      await bench().cancel(held.runId);
      await bench().end(held);
      expect(await bench().head(held.runId)).toMatchObject({ status: 'completed' });
    });

    it('keeps the id taken', async () => {
      const held = await bench().start({ runId: 'r' });
      await bench().end(held);
      expect((await bench().submit({ runId: 'r' })).run.status).toBe('completed');
      expect(only(await bench().runs.submit([bench().submission({ runId: 'r' })])).outcome).toBe('existing');
    });
  });
}
