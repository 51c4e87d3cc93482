import { describe, expect, it } from '@jest/globals';
import type { JournalPage } from '@millrace/durable';
import { type Bench, useBench } from '../bench.js';
import type { OpenHarness } from '../harness.js';

/** A journal is read in bounded pages, and the pages together are the journal. */
export function journalRules(open: OpenHarness): void {
  describe('journal', () => {
    const bench = useBench(open);
    const write = async (entries: ReadonlyArray<readonly [number, string]>, journalEnd?: number) => {
      const held = await bench().start();
      for (let from = 0; from < entries.length; from += 1_000) {
        await bench().apply(held, {
          writes: entries.slice(from, from + 1_000).map(([number, value]) => [number.toString(36), value] as const),
        });
      }
      await bench().apply(held, journalEnd === undefined ? {} : { journalEnd });
      return held;
    };

    it('reads thousands of entries in pages of at most 1,000, in order and each once', async () => {
      const entries = Array.from({ length: 2_345 }, (_, number) => [number, `value ${number}`] as const);
      const { runId } = await write(entries);
      const pages = await readPages(bench(), runId, 0);
      expect(pages.flatMap((page) => page.entries)).toEqual(entries);
      for (const page of pages) {
        expect(page.entries.length).toBeLessThanOrEqual(1_000);
      }
    });

    it('keeps a page near 1 MiB, and a value that is larger is a page of its own or ends one', async () => {
      const entries = Array.from({ length: 40 }, (_, number) => [number, String(number % 10).repeat(100_000)] as const);
      entries.push([40, 'x'.repeat(1_500_000)], [41, 'last']);
      const { runId } = await write(entries);
      const pages = await readPages(bench(), runId, 0);
      expect(pages.flatMap((page) => page.entries)).toEqual(entries);
      expect(pages.length).toBeGreaterThanOrEqual(5);
      for (const page of pages) {
        expect(page.entries.reduce((bytes, [, value]) => bytes + value.length, 0)).toBeLessThan(2_700_000);
      }
    });

    it('goes over holes below the journal’s end and stops at the first hole above it', async () => {
      const { runId } = await write(
        [
          [0, 'a'],
          [3, 'b'],
          [5, 'c'],
          [6, 'd'],
          [8, 'not reached'],
        ],
        7,
      );
      const pages = await readPages(bench(), runId, 7);
      expect(pages.flatMap((page) => page.entries)).toEqual([
        [0, 'a'],
        [3, 'b'],
        [5, 'c'],
        [6, 'd'],
      ]);
    });

    it('goes over holes that are longer than a page', async () => {
      const { runId } = await write(
        [
          [0, 'a'],
          [2_500, 'b'],
          [2_501, 'c'],
        ],
        2_501,
      );
      expect(await bench().journal(runId, 2_501)).toEqual({ 0: 'a', 2500: 'b', 2501: 'c' });
    });

    it('begins where it is told', async () => {
      const { runId } = await write([
        [0, 'a'],
        [1, 'b'],
        [2, 'c'],
      ]);
      expect(await bench().runs.readJournal({ runId, from: 1, journalEnd: 0 })).toEqual({
        entries: [
          [1, 'b'],
          [2, 'c'],
        ],
        next: null,
      });
      expect(await bench().runs.readJournal({ runId, from: 3, journalEnd: 0 })).toEqual({ entries: [], next: null });
    });

    it('is empty for a run without entries, and where there is no run', async () => {
      const { run } = await bench().submit();
      for (const runId of [run.runId, 'nobody']) {
        expect(await bench().runs.readJournal({ runId, from: 0, journalEnd: 0 })).toEqual({ entries: [], next: null });
      }
    });

    it('never mixes up entries with past attempts or head fields: numbers in base 36 reach every letter', async () => {
      const entries = Array.from({ length: 1_400 }, (_, number) => [number, `${number}`] as const);
      const held = await write(entries);
      await bench().apply(held, {
        writes: [
          ['0!1', 'past'],
          ['z!10', 'past z'],
        ],
      });
      expect(await bench().journal(held.runId)).toEqual(Object.fromEntries(entries));
      expect(await bench().head(held.runId)).toMatchObject({ status: 'running', lane: held.lane, input: '{"n":1}' });
    });

    it('shows the inspector the same, in pages of its own size', async () => {
      const entries = Array.from({ length: 25 }, (_, number) => [number, `value ${number}`] as const);
      const { runId } = await write(entries);
      const { inspector } = bench().first;
      const first = await inspector.readJournal({ runId, from: 0, journalEnd: 0, limit: 10 });
      expect(first).toEqual({ entries: entries.slice(0, 10), next: 10 });
      expect((await inspector.readJournal({ runId, from: 10, journalEnd: 0 })).entries).toEqual(entries.slice(10));
    });

    it('shows past attempts by number', async () => {
      const held = await bench().start();
      await bench().apply(held, {
        writes: [
          ['0', 'a'],
          ['0!1', 'first'],
          ['0!10', 'tenth'],
          ['1', 'b'],
          ['10!2', 'second of 36'],
        ],
      });
      const [zero, one, thirtySix] = await bench().first.inspector.readPastAttempts(held.runId, [0, 1, 36]);
      expect([...(zero ?? [])].sort()).toEqual(['first', 'tenth']);
      expect([one, thirtySix]).toEqual([[], ['second of 36']]);
      expect(await bench().first.inspector.readPastAttempts('nobody', [0])).toEqual([[]]);
    });
  });
}

async function readPages(bench: Bench, runId: string, journalEnd: number): Promise<JournalPage[]> {
  const pages: JournalPage[] = [];
  for (let from: number | null = 0; from !== null; ) {
    const page: JournalPage = await bench.runs.readJournal({ runId, from, journalEnd });
    pages.push(page);
    from = page.next;
  }
  return pages;
}
