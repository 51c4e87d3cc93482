import { describe, expect, it } from '@jest/globals';
import type { RunHead } from '../core/run-record.js';
import { StoreUnavailable } from '../core/errors.js';
import type { JournalPage, RunStore } from '../ports/run-store.js';
import { Journal } from './journal.js';

const head = { runId: 'r1', token: '2.bits', revision: 7, journalEnd: 6 } as RunHead;

/** A store that has these pages; a page that is an error is refused with it. */
function storeOf(pages: Readonly<Record<number, JournalPage | Error>>) {
  const asked: number[] = [];
  const readJournal: RunStore['readJournal'] = async ({ from }) => {
    asked.push(from);
    const page = pages[from];
    if (page === undefined || page instanceof Error) throw page ?? new Error(`page ${from} was not to be read`);
    return page;
  };
  return { store: { readJournal } as RunStore, asked };
}

const page = (next: number | null, ...entries: Array<readonly [number, string]>): JournalPage => ({ entries, next });

describe('loading a journal', () => {
  it('takes in all pages, holes and pages without an entry included', async () => {
    const { store, asked } = storeOf({
      0: page(2, [0, '+0;a;"x"'], [1, '+1,1;a;"y"']),
      2: page(4),
      4: page(null, [5, 'o3;b']),
    });
    const journal = (await Journal.load(store, head)) as Journal;
    expect([...journal].map(([number, { name }]) => [number, name])).toEqual([
      [0, 'a'],
      [1, 'a'],
      [5, 'b'],
    ]);
    expect([1, 2, 3].map((handover) => journal.handedOverAt(handover))).toEqual([0, 1, undefined]);
    expect(journal.firstFrom(2)?.journalNumber).toBe(5);
    expect(journal.bytes).toBe('+0;a;"x"+1,1;a;"y"o3;b'.length);
    expect(asked).toEqual([0, 2, 4]);
  });

  it.each([
    ['on a page that others follow', { 0: page(1, [0, 'rubbish']), 1: page(2, [1, 'rubbish too']) }, 0],
    ['on the last page', { 0: page(1, [0, '+0;a;1']), 1: page(null, [1, 'rubbish']) }, 1],
  ])('names the first entry that cannot be read: %s', async (_, pages, journalNumber) => {
    expect(await Journal.load(storeOf(pages).store, head)).toEqual({ journalNumber });
  });

  it('throws what the store throws at any page', async () => {
    const refused = new StoreUnavailable('readJournal', {});
    const { store } = storeOf({ 0: page(1, [0, '+0;a;1']), 1: refused });
    await expect(Journal.load(store, head)).rejects.toBe(refused);
  });

  it('reads nothing for a first claim', async () => {
    const { store, asked } = storeOf({});
    expect([...((await Journal.load(store, { ...head, token: '1.bits', revision: 0 })) as Journal)]).toEqual([]);
    expect(asked).toEqual([]);
  });
});
