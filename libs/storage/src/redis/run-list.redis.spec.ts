import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ListedRun } from '@millrace/durable';
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

  it('show a workflow that came since the last page', async () => {
    await bench().submit();
    expect(await listAll(10)).toHaveLength(1);
    await bench().submit({ lane: { ...bench().lane, workflow: 'new' } }, bench().second);
    expect(await listAll(10)).toHaveLength(2);
  });
});
