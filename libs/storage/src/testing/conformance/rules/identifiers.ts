import { describe, expect, it } from '@jest/globals';
import { isIdentifier } from '@millrace/durable';
import { only, useBench } from '../bench.js';
import type { OpenHarness } from '../harness.js';

/** Every identifier that the door lets in: they go into keys, so none may be taken for another or for a part of a key. */
const oddIdentifiers = [
  '0',
  'a'.repeat(200),
  'A',
  'a',
  'r:leases',
  'run:x',
  'x:in:y',
  'idx:a',
  'a.b_c:d@e~f+g=h,i-j',
  'constructor',
  '__proto__'.replace('__', 'p__'),
  'toString',
  '1.5',
  '-'.padStart(2, '9'),
];

/** Odd but legal names behave like any other. */
export function identifierRules(open: OpenHarness): void {
  describe('identifiers', () => {
    const bench = useBench(open);

    it('are all legal', () => {
      expect(oddIdentifiers.filter((identifier) => !isIdentifier(identifier))).toEqual([]);
      expect(new Set(oddIdentifiers).size).toBe(oddIdentifiers.length);
    });

    it.each(oddIdentifiers)('%s names a run through its whole life', async (runId) => {
      const held = await bench().start({ runId });
      await bench().apply(held, { writes: [['0', 'x']] });
      await bench().park(held, { wakeAt: await bench().runs.now() });
      const next = await bench().hold(only((await bench().pump()).activations));
      expect(next.runId).toBe(runId);
      expect(await bench().runs.heartbeat({ claims: [next], leaseMs: 60_000 })).toMatchObject({ lost: [], moved: [] });
      await bench().end(next);
      expect((await bench().first.inspector.list({ limit: 2 })).runs.map((row) => row.runId)).toEqual([runId]);
      expect(await bench().cancel(runId)).toBe('closed');
    });

    it('tell runs apart, wherever they fall', async () => {
      for (const runId of oddIdentifiers) {
        expect((await bench().submit({ runId, input: JSON.stringify(runId) })).outcome).toBe('created');
      }
      for (const runId of oddIdentifiers) {
        expect((await bench().head(runId)).input).toBe(JSON.stringify(runId));
      }
      expect((await bench().deliverAll()).map(({ runId }) => runId).sort()).toEqual([...oddIdentifiers].sort());
    });

    it('name queues, workflows and owners', async () => {
      for (const [index, name] of oddIdentifiers.entries()) {
        const lane = {
          queue: name,
          workflow: oddIdentifiers[index === 0 ? oddIdentifiers.length - 1 : index - 1] as string,
          version: 999_999_999,
        };
        const { run } = await bench().submit({ lane });
        const held = await bench().hold(await bench().deliver(run.runId, lane), { owner: `${name.slice(0, 180)}.bits` });
        expect(await bench().head(run.runId)).toMatchObject({ lane, owner: `${name.slice(0, 180)}.bits` });
        await bench().end(held);
        expect((await bench().first.inspector.list({ limit: 10, workflow: lane.workflow, status: 'completed' })).runs).toHaveLength(1);
      }
    });
  });
}
