import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ListedRun } from '@millrace/durable';
import { encodeCursor } from '../memory/list-cursor.js';
import { useBench } from '../testing/conformance/bench.js';
import { openRedisHarness, type RedisHarness } from '../testing/conformance/redis-harness.js';
import { indexClasses } from './keys.js';

describe('pages of a list', () => {
  const bench = useBench(() => openRedisHarness({ partitions: 4 }));
  const harness = (): RedisHarness => bench().harness as RedisHarness;

  async function listAll(limit: number, bounds: { from?: number; to?: number } = {}): Promise<ListedRun[]> {
    const rows: ListedRun[] = [];
    let cursor: string | undefined;
    do {
      const page = await bench().first.inspector.list({ limit, ...bounds, ...(cursor === undefined ? {} : { cursor }) });
      expect(page.runs.length).toBeLessThanOrEqual(limit);
      rows.push(...page.runs);
      cursor = page.cursor ?? undefined;
    } while (cursor !== undefined);
    return rows;
  }

  it('show every entry of every index once and in order, however many there are of one instant', async () => {
    const place = fc.record({
      score: fc.integer({ min: 1, max: 9 }),
      index: fc.constantFrom(0, 1, 7),
      runId: fc.integer({ min: 1, max: 2_000 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(place, { selector: ({ runId }) => runId, minLength: 100, maxLength: 400, size: 'max' }),
        fc.constantFrom(3, 20, 60, 200),
        async (places, limit) => {
          const { raw, keys } = harness();
          await raw.del(
            ...[0, 1, 2, 3].flatMap((p) => [keys.names(p), ...['a', 'b'].flatMap((w) => indexClasses.map((c) => keys.index(p, w, c)))]),
          );
          for (const partition of [0, 1, 2, 3]) await raw.sadd(keys.names(partition), 'a', 'b');
          const filling = raw.pipeline();
          for (const { score, index, runId } of places) {
            const id = `run-${runId}`;
            const indexClass = indexClasses[index % 6] as (typeof indexClasses)[number];
            filling.zadd(keys.index(keys.partitionOf(id), index < 6 ? 'a' : 'b', indexClass), score, id);
          }
          await filling.exec();
          const newestFirst = places.toSorted(
            (one, other) => other.score - one.score || (`run-${one.runId}` < `run-${other.runId}` ? 1 : -1),
          );
          expect((await listAll(limit)).map(({ runId }) => runId)).toEqual(newestFirst.map(({ runId }) => `run-${runId}`));
          const between = newestFirst.filter(({ score }) => score >= 2 && score < 5);
          expect((await listAll(limit, { from: 2, to: 5 })).map(({ runId }) => runId)).toEqual(between.map(({ runId }) => `run-${runId}`));
        },
      ),
      { numRuns: 8 },
    );
  });

  /** Entries of the indexes of one partition: `[index, created at, run id]`. */
  async function fill(entries: ReadonlyArray<readonly [index: 'a' | 'b', score: number, runId: string]>): Promise<void> {
    const { raw, keys } = harness();
    await raw.sadd(keys.names(0), 'a', 'b');
    const filling = raw.pipeline();
    for (const [index, score, runId] of entries) filling.zadd(keys.index(0, index, 'completed'), score, runId);
    await filling.exec();
  }

  const tie = (n: number): string => `tie-${String(n).padStart(5, '0')}`;

  async function idsAfter(limit: number, createdAt: number, runId: string): Promise<string[]> {
    const page = await bench().first.inspector.list({ limit, cursor: encodeCursor({ createdAt, runId }) });
    return page.runs.map((run) => run.runId);
  }

  it("go on behind however many runs of the cursor's instant", async () => {
    await fill([...Array.from({ length: 12_000 }, (_, n) => ['a', 9, tie(n)] as const), ['a', 7, 'older'], ['b', 9, 'tie-']]);
    expect(await idsAfter(1, 9, tie(2))).toEqual([tie(1)]);
    expect(await idsAfter(3, 9, tie(1))).toEqual([tie(0), 'tie-', 'older']);
    expect(await idsAfter(1, 9, 'tie-')).toEqual(['older']);
    expect(await idsAfter(1, 9, tie(11_000))).toEqual([tie(10_999)]);
  });

  it.each([1, 2, 3, 8])('hide no row behind ties in another index (%i a page)', async (limit) => {
    const ties = Array.from({ length: 300 }, (_, n) => ['a', 9, tie(n)] as const);
    await fill([...ties, ['b', 5, 'five'], ['a', 7, 'seven'], ['b', 9, 'b-nine'], ['b', 8, 'b-eight']]);
    const shown: string[] = [];
    for (let at = { createdAt: 9, runId: tie(1) }; ; ) {
      const page = await bench().first.inspector.list({ limit, cursor: encodeCursor(at) });
      shown.push(...page.runs.map(({ runId }) => runId));
      if (page.cursor === null) break;
      at = { createdAt: { five: 5, seven: 7, 'b-eight': 8 }[shown.at(-1) ?? ''] ?? 9, runId: shown.at(-1) ?? '' };
      expect(page.cursor).toBe(encodeCursor(at));
    }
    expect(shown).toEqual([tie(0), 'b-nine', 'b-eight', 'seven', 'five']);
  });

  it('go on when a run stands in two indexes', async () => {
    await fill([
      ['a', 9, 'twice'],
      ['b', 9, 'twice'],
      ['a', 8, 'once'],
      ['b', 7, 'last'],
    ]);
    expect((await listAll(1)).map(({ runId }) => runId)).toEqual(['twice', 'once', 'last']);
  });

  it('show a workflow that came since the last page', async () => {
    await bench().submit();
    expect(await listAll(10)).toHaveLength(1);
    await bench().submit({ lane: { ...bench().lane, workflow: 'new' } }, bench().second);
    expect(await listAll(10)).toHaveLength(2);
  });
});
