import { describe, expect, it } from '@jest/globals';
import { useBench } from '../bench.js';
import type { OpenHarness } from '../harness.js';

/** Compare-and-set on (token, revision): invariants 3 and 4. */
export function commitRules(open: OpenHarness): void {
  describe('commit', () => {
    const bench = useBench(open);

    it('writes its fields and raises the revision; the claim goes on', async () => {
      const held = await bench().start();
      const lease = await bench().first.inspector.getLease(held.runId);
      await bench().apply(held, {
        writes: [
          ['0', 'first'],
          ['1', 'second'],
        ],
      });
      await bench().apply(held, { writes: [['1', 'second, again']] });
      expect(await bench().journal(held.runId)).toEqual({ 0: 'first', 1: 'second, again' });
      expect(await bench().head(held.runId)).toMatchObject({ status: 'running', token: held.token, lastToken: null, revision: 2 });
      expect(await bench().first.inspector.getLease(held.runId)).toBe(lease);
    });

    it('commit-token: another token changes nothing', async () => {
      const held = await bench().start();
      const stranger = { ...held, token: `1.${bench().bits()}` };
      for (const then of [
        { kind: 'continue' },
        { kind: 'release', bits: 'b' },
        { kind: 'park', inbox: held.inbox, wakeAt: null },
        { kind: 'end', status: 'failed' },
      ] as const) {
        expect(await bench().commit(stranger, { writes: [['0', 'x']], then })).toBe('lost');
      }
      expect(await bench().commit({ ...held, token: '' }, { writes: [['0', 'x']] })).toBe('lost');
      expect(await bench().journal(held.runId)).toEqual({});
      expect(await bench().head(held.runId)).toMatchObject({ status: 'running', token: held.token, revision: 0 });
    });

    it('commit-token: an empty token is nobody’s, also where nobody holds the run', async () => {
      const { run } = await bench().submit();
      expect(await bench().commit({ ...run, token: '', inbox: '' }, { writes: [['0', 'x']] })).toBe('lost');
    });

    it('revision-cas: a repetition is answered ok and counts once', async () => {
      const held = await bench().start();
      expect(await bench().commit(held, { writes: [['0', 'applied']] })).toBe('ok');
      expect(await bench().commit(held, { writes: [['0', 'repeated']] }, bench().second)).toBe('ok');
      expect(await bench().journal(held.runId)).toEqual({ 0: 'applied' });
      expect((await bench().head(held.runId)).revision).toBe(1);
    });

    it('revision-cas: a revision that is not there is stale, and nothing is written', async () => {
      const held = await bench().start();
      await bench().apply(held);
      await bench().apply(held);
      for (const revision of [0, 3, 17]) {
        expect(await bench().commit({ ...held, revision }, { writes: [['0', 'x']] })).toBe('stale');
      }
      expect(await bench().journal(held.runId)).toEqual({});
      expect((await bench().head(held.runId)).revision).toBe(2);
    });

    it('cancel-stops-open: no attempt is opened over a cancel request; without the opening the commit goes through', async () => {
      const held = await bench().start();
      await bench().cancel(held.runId);
      expect(await bench().commit(held, { writes: [['0', 'opened']], opens: true, openAttempts: 1 })).toBe('look');
      expect(await bench().journal(held.runId)).toEqual({});
      await bench().apply(held, { writes: [['0', 'not opened']] });
    });

    it('cancel-stops-open: the same for every kind of commit', async () => {
      const held = await bench().start();
      await bench().cancel(held.runId);
      const { inbox } = await bench().head(held.runId);
      for (const then of [
        { kind: 'park', inbox, wakeAt: null },
        { kind: 'release', bits: 'b' },
        { kind: 'end', status: 'failed' },
      ] as const) {
        expect(await bench().commit(held, { opens: true, then })).toBe('look');
      }
      expect(await bench().head(held.runId)).toMatchObject({ status: 'running', revision: 0 });
    });

    it('open-repeat: an opening that was applied before the request is answered ok again', async () => {
      const held = await bench().start();
      const opening = { writes: [['0', 'opened']] as const, opens: true, openAttempts: 1 };
      expect(await bench().commit(held, opening)).toBe('ok');
      await bench().cancel(held.runId);
      expect(await bench().commit(held, opening)).toBe('ok');
    });

    it('own-revision: what others write does not make the owner’s commit stale', async () => {
      const held = await bench().start();
      await bench().cancel(held.runId);
      expect((await bench().head(held.runId)).revision).toBe(0);
      await bench().apply(held, { writes: [['0', 'x']] });
    });

    it('counts a claim’s lapse only against who acts on it: an owner that is late but not buried commits', async () => {
      const held = await bench().startLapsed();
      await bench().apply(held, { writes: [['0', 'late']] });
      expect(await bench().journal(held.runId)).toEqual({ 0: 'late' });
    });

    it('moves the end of the part with holes only when it is told to', async () => {
      const held = await bench().start();
      await bench().apply(held, { journalEnd: 7 });
      await bench().apply(held);
      expect((await bench().head(held.runId)).journalEnd).toBe(7);
    });

    it('treats the members of a list one by one and answers in their order', async () => {
      const good = await bench().start();
      const stale = await bench().start();
      const lost = await bench().start();
      const answers = await bench().runs.commit([
        bench().change({ ...lost, token: `9.${bench().bits()}` }),
        bench().change(good, { writes: [['0', 'x']] }),
        bench().change({ ...good, runId: 'nobody' }),
        bench().change({ ...stale, revision: 5 }),
        bench().change(lost, { then: { kind: 'release', bits: bench().bits() } }),
      ]);
      expect(answers).toEqual(['lost', 'ok', 'lost', 'stale', 'ok']);
      expect(await bench().runs.commit([])).toEqual([]);
    });

    it('keeps any text, and many fields in one commit', async () => {
      const held = await bench().start();
      const texts = [
        '',
        '\u0000\u0001\r\n',
        'é ∑ 漢 👩‍🚀',
        'y'.repeat(300_000),
        ...Array.from({ length: 900 }, (_, index) => `value ${index}`),
      ];
      await bench().apply(held, { writes: texts.map((text, index) => [index.toString(36), text] as const) });
      expect(Object.values(await bench().journal(held.runId))).toEqual(texts);
    });
  });
}
