import { describe, expect, it } from '@jest/globals';
import type { Lane } from '@millrace/durable';
import { only, useBench } from '../bench.js';
import type { OpenHarness } from '../harness.js';

/** A lane delivers each activation to one worker, and again when nobody claims it. */
export function laneRules(open: OpenHarness): void {
  describe('lanes and delivery', () => {
    const bench = useBench(open);
    const lanes: readonly Lane[] = [
      { queue: 'default', workflow: 'a', version: 1 },
      { queue: 'default', workflow: 'a', version: 2 },
      { queue: 'other', workflow: 'a', version: 1 },
      { queue: 'default', workflow: 'b', version: 1 },
    ];

    it('delivers only what the reader serves: queue, workflow and version tell lanes apart', async () => {
      for (const lane of lanes) {
        await bench().submit({ lane });
      }
      for (const lane of lanes) {
        expect(only(await bench().deliverAll(lane)).lane).toEqual(lane);
      }
    });

    it('delivers an entry once, whoever reads', async () => {
      for (let submitted = 0; submitted < 20; submitted += 1) {
        await bench().submit();
      }
      const readers = [bench().reader(), bench().reader([bench().lane], bench().second)];
      const rounds = await Promise.all(readers.map(async (reader) => [...(await reader.read(7)), ...(await reader.read(100))]));
      const delivered = rounds.flat().map(({ runId }) => runId);
      expect(delivered).toHaveLength(20);
      expect(new Set(delivered).size).toBe(20);
    });

    it('takes no more entries than it is told, from all lanes and partitions together', async () => {
      for (let submitted = 0; submitted < 24; submitted += 1) {
        await bench().submit({ lane: lanes[submitted % lanes.length] as Lane });
      }
      const reader = bench().reader(lanes);
      expect(await reader.read(0)).toEqual([]);
      expect(await reader.read(5)).toHaveLength(5);
      expect(await reader.read(100)).toHaveLength(19);
      expect(await reader.read(100)).toEqual([]);
    });

    it('starves no lane: a long one does not keep the others waiting', async () => {
      const [long, short] = [lanes[0] as Lane, lanes[3] as Lane];
      for (let submitted = 0; submitted < 40; submitted += 1) {
        await bench().submit({ lane: long });
      }
      await bench().submit({ lane: short });
      const reader = bench().reader([long, short]);
      let reads = 0;
      for (let workflow = ''; workflow !== short.workflow; reads += 1) {
        workflow = only(await reader.read(1)).lane.workflow;
      }
      // The short lane has at most 16 streams beside it that come before in turn.
      expect(reads).toBeLessThanOrEqual(33);
    });

    it('reads a lane that nobody has used yet, and what comes into it later', async () => {
      const lane = { queue: 'new', workflow: 'new', version: 1 };
      const reader = bench().reader([lane]);
      expect(await reader.read(10)).toEqual([]);
      await bench().submit({ lane });
      expect(await reader.read(10)).toHaveLength(1);
    });

    it('delivers again to anybody what nobody claimed, not before its time, and no more than it is told', async () => {
      for (let submitted = 0; submitted < 3; submitted += 1) {
        await bench().submit();
      }
      const delivered = await bench().deliverAll();
      const reader = bench().reader([bench().lane], bench().second);
      expect(await reader.reclaim(60_000, 10)).toEqual([]);
      await bench().harness.timePasses(6);
      const first = await reader.reclaim(5, 2);
      expect(first).toHaveLength(2);
      const rest = await reader.reclaim(5, 10);
      const again = [...first, ...rest].map(({ runId }) => runId);
      expect(new Set(again)).toEqual(new Set(delivered.map(({ runId }) => runId)));
      await bench().hold(first[0] as (typeof first)[number]);
    });

    it('does not deliver again what was claimed, released or cancelled meanwhile', async () => {
      const [held, cancelled] = [await bench().start(), (await bench().submit()).run];
      await bench().deliver(cancelled.runId);
      await bench().cancel(cancelled.runId);
      await bench().release(held);
      const current = await bench().deliver(held.runId);
      await bench().harness.timePasses(2);
      const reader = bench().reader();
      expect(await reader.reclaim(0, 10)).toEqual([current]);
    });

    it('waits for an entry and takes it', async () => {
      const reader = bench().reader(lanes);
      const waiting = reader.wait(20_000, new AbortController().signal);
      const { run } = await bench().submit({ lane: lanes[2] as Lane }, bench().second);
      expect((await waiting).map(({ runId }) => runId)).toEqual([run.runId]);
    });

    it('waits for what a wake or a take-over makes', async () => {
      const held = await bench().start();
      await bench().park(held, { wakeAt: await bench().runs.now() });
      const reader = bench().reader();
      const waiting = reader.wait(20_000, new AbortController().signal);
      await bench().pump({}, bench().second);
      expect((await waiting).map(({ runId }) => runId)).toEqual([held.runId]);
    });

    it('does not wait when there is something', async () => {
      const { run } = await bench().submit();
      const reader = bench().reader();
      expect((await reader.wait(20_000, new AbortController().signal)).map(({ runId }) => runId)).toEqual([run.runId]);
    });

    it('ends a wait at its time-out, when it is aborted, and when it was aborted before', async () => {
      const reader = bench().reader();
      const timed = reader.wait(20, new AbortController().signal);
      await bench().harness.timePasses(25);
      expect(await timed).toEqual([]);
      const stop = new AbortController();
      const aborted = reader.wait(60_000, stop.signal);
      stop.abort();
      expect(await aborted).toEqual([]);
      expect(await reader.wait(60_000, stop.signal)).toEqual([]);
    });

    it('takes nothing after an aborted wait: the entry is for others', async () => {
      const stop = new AbortController();
      const reader = bench().reader();
      const waiting = reader.wait(60_000, stop.signal);
      stop.abort();
      expect(await waiting).toEqual([]);
      await bench().submit();
      expect(await bench().deliverAll(bench().lane, bench().second)).toHaveLength(1);
    });

    it('counts the activations of a lane that were not delivered', async () => {
      const name = 'default|fulfil-order|1';
      expect(await bench().first.inspector.laneDepth(name)).toBe(0);
      for (let submitted = 0; submitted < 5; submitted += 1) {
        await bench().submit();
      }
      await bench().submit({ lane: lanes[0] as Lane });
      expect(await bench().first.inspector.laneDepth(name)).toBe(5);
      const reader = bench().reader();
      await reader.read(2);
      expect(await bench().first.inspector.laneDepth(name)).toBe(3);
    });
  });

  describe('bells', () => {
    const bench = useBench(open);

    it('ring only for the owner of the run, and not after they were closed', async () => {
      const rung: string[] = [];
      const mine = await bench().first.bells.listen('w1.abc', (runId) => rung.push(`mine ${runId}`));
      const closed = await bench().first.bells.listen('w1.abc', (runId) => rung.push(`closed ${runId}`));
      const others = await bench().first.bells.listen('w2.abc', (runId) => rung.push(`others ${runId}`));
      await closed.close();
      const [one, other] = [await bench().start({}, { owner: 'w1.abc' }), await bench().start({}, { owner: 'w2.abc' })];
      await bench().cancel(one.runId, 'request-1', bench().second);
      await bench().cancel(other.runId, 'request-2', bench().second);
      await bench().until('both bells', () => rung.length >= 2);
      expect(rung.sort()).toEqual([`mine ${one.runId}`, `others ${other.runId}`]);
      await Promise.all([mine.close(), others.close()]);
    });
  });
}
