import { describe, expect, it } from '@jest/globals';
import { InvalidInput, type ListedRun, type ListQuery } from '@millrace/durable';
import { type Bench, useBench } from '../bench.js';
import type { OpenHarness } from '../harness.js';

/** What operators see is what the records say. */
export function inspectorRules(open: OpenHarness): void {
  describe('inspector', () => {
    const bench = useBench(open);

    it('knows nothing of a run that is not there', async () => {
      const { inspector } = bench().first;
      expect(await inspector.getRun('nobody')).toBeNull();
      expect(await inspector.getProgress('nobody')).toBeNull();
      expect(await inspector.getLease('nobody')).toBeNull();
    });

    it('shows progress without payloads', async () => {
      const held = await bench().start();
      await bench().apply(held, { writes: [['0', 'x']], journalEnd: 3 });
      expect(await bench().second.inspector.getProgress(held.runId)).toEqual({
        status: 'running',
        revision: 1,
        cancel: null,
        journalEnd: 3,
        createdAt: (await bench().head(held.runId)).createdAt,
      });
      await bench().cancel(held.runId, 'request-1');
      expect(await bench().first.inspector.getProgress(held.runId)).toMatchObject({
        status: 'running',
        cancel: { requestId: 'request-1' },
      });
    });

    it('lists newest first, without input, output and error', async () => {
      const ids: string[] = [];
      for (let submitted = 0; submitted < 5; submitted += 1) {
        ids.unshift((await bench().submit()).run.runId);
        await bench().harness.timePasses(2);
      }
      const { runs, cursor } = await bench().first.inspector.list({ limit: 10 });
      expect(runs.map(({ runId }) => runId)).toEqual(ids);
      expect(cursor).toBeNull();
      const head = await bench().head(ids[0] as string);
      const { runId, status, lane, createdAt, startedAt, endedAt, wakeAt, revision, cancel } = head;
      expect(runs[0]).toEqual({ runId, status, lane, createdAt, startedAt, endedAt, wakeAt, revision, cancel });
    });

    it('pages through everything once, whatever the size of a page, also where many runs have one instant', async () => {
      const requests = Array.from({ length: 57 }, () => bench().submission());
      await bench().runs.submit(requests);
      const all = requests.map(({ runId }) => runId).sort();
      for (const limit of [1, 10, 57, 200]) {
        const rows = await listAll(bench(), { limit });
        expect(rows.map(({ runId }) => runId).sort()).toEqual(all);
        expect(rows.map((row) => ('broken' in row ? Number.NaN : row.createdAt))).toEqual(
          rows.map((row) => ('broken' in row ? Number.NaN : row.createdAt)).sort((one, other) => other - one),
        );
      }
    });

    it('lists by workflow and by status', async () => {
      const { queued, running, waiting, completed, cancelled, setAside } = await oneOfEach(bench());
      await bench().submit({ runId: 'other', lane: { ...bench().lane, workflow: 'other' } });
      const ids = async (query: Omit<ListQuery, 'limit'>): Promise<string[]> =>
        (await listAll(bench(), { limit: 2, ...query })).map(({ runId }) => runId).sort();
      expect(await ids({ workflow: 'other' })).toEqual(['other']);
      expect(await ids({ workflow: 'nobody' })).toEqual([]);
      expect(await ids({ status: 'queued' })).toEqual([queued, 'other'].sort());
      expect(await ids({ status: 'queued', workflow: 'fulfil-order' })).toEqual([queued]);
      expect(await ids({ status: 'running' })).toEqual([running]);
      expect(await ids({ status: 'waiting' })).toEqual([waiting]);
      expect(await ids({ status: 'completed' })).toEqual([completed]);
      expect(await ids({ status: 'failed' })).toEqual([]);
      expect(await ids({ status: 'cancelled' })).toEqual([cancelled]);
      expect(await ids({ status: 'set-aside' })).toEqual([setAside]);
      expect(await ids({})).toHaveLength(7);
    });

    it('lists a part of time: from its beginning, up to its end', async () => {
      const created: number[] = [];
      for (let submitted = 0; submitted < 4; submitted += 1) {
        created.push((await bench().submit({ runId: `r${submitted}` })).run.createdAt);
        await bench().harness.timePasses(2);
      }
      const rows = await listAll(bench(), { limit: 1, from: created[1] as number, to: created[3] as number });
      expect(rows.map(({ runId }) => runId)).toEqual(['r2', 'r1']);
    });

    it('goes on from a cursor although runs came and ended meanwhile', async () => {
      for (let submitted = 0; submitted < 6; submitted += 1) {
        await bench().submit({ runId: `r${submitted}` });
        await bench().harness.timePasses(2);
      }
      const { runs, cursor } = await bench().first.inspector.list({ limit: 3 });
      expect(runs.map(({ runId }) => runId)).toEqual(['r5', 'r4', 'r3']);
      await bench().submit({ runId: 'newer' });
      await bench().cancel('r3');
      await bench().cancel('r1');
      const rest = await listAll(bench(), { limit: 3, cursor: cursor as string });
      expect(rest.map(({ runId }) => runId)).toEqual(['r2', 'r1', 'r0']);
    });

    it('refuses a cursor that no page answered, and limits out of range', async () => {
      const { inspector } = bench().first;
      for (const cursor of ['', 'x', 'MTIz', Buffer.from('1|').toString('base64url'), '\u0000', 'é']) {
        await expect(inspector.list({ limit: 1, cursor })).rejects.toThrow(InvalidInput);
      }
      for (const limit of [0, 201, -1, 1.5, Number.NaN]) {
        await expect(inspector.list({ limit })).rejects.toThrow(InvalidInput);
      }
    });

    it('counts by workflow and status', async () => {
      await oneOfEach(bench());
      await bench().submit({ lane: { ...bench().lane, workflow: 'other' } });
      const counts = (await bench().first.inspector.counts())
        .filter(({ count }) => count > 0)
        .map(({ workflow, status, count }) => `${workflow} ${status} ${count}`);
      expect(counts.sort()).toEqual([
        'fulfil-order active 2',
        'fulfil-order cancelled 1',
        'fulfil-order completed 1',
        'fulfil-order set-aside 1',
        'fulfil-order waiting 1',
        'other active 1',
      ]);
    });

    it('tells of status changes until it is closed', async () => {
      const seen: string[] = [];
      const feed = await bench().second.inspector.watch(({ runId, status }) => seen.push(`${runId} ${status}`));
      const held = await bench().start({ runId: 'r' });
      await bench().park(held, { wakeAt: await bench().runs.now() });
      const activations = (await bench().pump()).activations;
      await bench().until('four events', () => seen.length >= 3);
      for (const activation of activations) {
        await bench().end(await bench().hold(activation));
      }
      await bench().until('the end to be told', () => seen.includes('r completed'));
      expect(seen).toEqual(['r queued', 'r waiting', 'r queued', 'r completed']);
      await feed.close();
      await bench().submit({ runId: 'later' });
      await bench().harness.timePasses(5);
      expect(seen).not.toContain('later queued');
    });

    it('answers a ping', async () => {
      await expect(bench().first.ping()).resolves.not.toThrow();
    });
  });
}

async function listAll(bench: Bench, query: ListQuery): Promise<ListedRun[]> {
  const rows: ListedRun[] = [];
  for (let next: ListQuery | null = query; next !== null; ) {
    const page: { runs: ListedRun[]; cursor: string | null } = await bench.first.inspector.list(next);
    expect(page.runs.length).toBeLessThanOrEqual(query.limit);
    rows.push(...page.runs);
    next = page.cursor === null ? null : { ...query, cursor: page.cursor };
  }
  return rows;
}

async function oneOfEach(bench: Bench): Promise<Record<'queued' | 'running' | 'waiting' | 'completed' | 'cancelled' | 'setAside', string>> {
  const running = await bench.start();
  const waiting = await bench.start();
  await bench.park(waiting, { wakeAt: (await bench.runs.now()) + 3_600_000 });
  const completed = await bench.start();
  await bench.end(completed, { output: '1' });
  const setAside = await bench.start();
  await bench.end(setAside, { status: 'set-aside', error: 'error: x' });
  const cancelled = (await bench.submit()).run;
  await bench.cancel(cancelled.runId);
  const queued = (await bench.submit()).run;
  return {
    queued: queued.runId,
    running: running.runId,
    waiting: waiting.runId,
    completed: completed.runId,
    cancelled: cancelled.runId,
    setAside: setAside.runId,
  };
}
