import { describe, expect, it } from '@jest/globals';
import { encodeEntry, type Inspector, type JournalEntry } from '@millrace/durable';
import fc from 'fast-check';
import { step } from '../../testing/owner.js';
import { OutcomeReader } from './outcome-reader.js';

/** A record whose entries a test sets. */
function journal() {
  const entries = new Map<number, JournalEntry>();
  const reads: number[] = [];
  const inspector: Pick<Inspector, 'readJournal'> = {
    async readJournal({ from, journalEnd, limit = 3 }) {
      reads.push(from);
      const page: Array<readonly [number, string]> = [];
      for (let number = from; number < from + limit; number += 1) {
        const entry = entries.get(number);
        if (entry === undefined && number >= journalEnd) return { entries: page, next: null };
        if (entry !== undefined) page.push([number, encodeEntry(entry, number)]);
      }
      return { entries: page, next: from + limit };
    },
  };
  return { entries, reads, reader: new OutcomeReader(inspector, 'r') };
}

const done = (name: string, handover: number, revision: number) => step(name, handover, { revision });
const open = (name: string) => step(name, 0, { state: 'open', payload: null, endedAfter: 0 });

describe('OutcomeReader', () => {
  it('tells an outcome of an old entry that came late, once', async () => {
    const { entries, reader } = journal();
    entries.set(0, open('slow')).set(1, done('fast', 1, 2));
    expect(await reader.read(0, 2, 0)).toMatchObject([{ revision: 2, outcomes: [[1, { name: 'fast' }]] }]);
    entries.set(0, done('slow', 2, 3));
    expect(await reader.read(2, 3, 0)).toMatchObject([{ revision: 3, outcomes: [[0, { name: 'slow' }]] }]);
    expect(await reader.read(3, 3, 0)).toEqual([]);
  });

  it('finds an entry that fills a hole', async () => {
    const { entries, reader } = journal();
    entries.set(0, done('a', 1, 1)).set(2, done('c', 2, 2));
    await reader.read(0, 2, 3);
    entries.set(1, done('b', 3, 3));
    expect(await reader.read(2, 3, 3)).toMatchObject([{ outcomes: [[1, { name: 'b' }]] }]);
  });

  it('leaves what is newer than the revision that was read for the next call', async () => {
    const { entries, reader } = journal();
    entries.set(0, done('a', 1, 1)).set(1, done('b', 2, 2));
    expect(await reader.read(0, 1, 0)).toMatchObject([{ revision: 1 }]);
    expect(await reader.read(1, 2, 0)).toMatchObject([{ revision: 2, outcomes: [[1, { name: 'b' }]] }]);
  });

  it('reads a long sequence about once', async () => {
    const { entries, reads, reader } = journal();
    for (let number = 0; number < 300; number += 1) {
      entries.set(number, done(`s${number}`, number + 1, number + 1));
      await reader.read(number, number + 1, 0);
    }
    expect(reads.length).toBeLessThanOrEqual(600);
  });

  it('tells every outcome once and by revision, in whatever order steps end and readers look', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], { minLength: 1 }),
        fc.array(fc.boolean(), { minLength: 10, maxLength: 10 }),
        async (order, looks) => {
          const { entries, reader } = journal();
          for (let number = 0; number < 10; number += 1) entries.set(number, open(`s${number}`));
          const told: number[] = [];
          let after = 0;
          for (const [index, number] of order.entries()) {
            entries.set(number, done(`s${number}`, index + 1, index + 1));
            if (looks[index] !== true && index < order.length - 1) continue;
            for (const { outcomes } of await reader.read(after, index + 1, 0)) told.push(...outcomes.map(([at]) => at));
            after = index + 1;
          }
          expect(told).toEqual(order);
        },
      ),
    );
  });
});
