import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  decodeEntry,
  decodePastAttempt,
  encodeEntry,
  encodePastAttempt,
  type JournalEntry,
  PAST_ATTEMPTS_KEPT,
  pastAttemptField,
} from './journal-entry.js';

const numbers = fc.nat({ max: 2 ** 40 });
const identifier = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._:@~+=,-]{0,30}$/);

const outcome = fc.record({ handover: fc.nat({ max: 1e6 }), revisionAhead: fc.integer({ min: -1e6, max: 1e6 }) });

const step = fc
  .record({
    state: fc.constantFrom('open', 'retrying', 'completed', 'failed', 'abandoned'),
    name: identifier,
    key: fc.option(identifier),
    startedAfter: numbers,
    duration: numbers,
    outcome,
    used: fc.nat({ max: 10_000 }),
    interruptions: fc.nat({ max: 1_000 }),
    payload: fc.option(fc.string()),
  })
  .map(
    ({ duration, outcome: { handover, revisionAhead }, ...rest }): JournalEntry => ({
      ...rest,
      kind: 'step',
      endedAfter: rest.state === 'open' ? 0 : rest.startedAfter + duration,
      handover,
      revision: handover === 0 ? 0 : handover + revisionAhead,
    }),
  );

const sleep = fc
  .record({ state: fc.constantFrom('pending', 'done', 'abandoned'), name: identifier, startedAfter: numbers, duration: numbers, outcome })
  .map(
    ({ duration, outcome: { handover, revisionAhead }, ...rest }): JournalEntry => ({
      ...rest,
      kind: 'sleep',
      endedAfter: rest.startedAfter + duration,
      handover,
      revision: handover === 0 ? 0 : handover + revisionAhead,
    }),
  );

describe('journal entries', () => {
  it('survive the round trip', () => {
    fc.assert(
      fc.property(fc.oneof(step, sleep), fc.nat({ max: 1e6 }), (entry, n) => expect(decodeEntry(encodeEntry(entry, n), n)).toEqual(entry)),
    );
  });

  it('are short where they are what they mostly are', () => {
    const chained = {
      kind: 'step',
      state: 'completed',
      name: 'stepname',
      key: null,
      startedAfter: 36,
      endedAfter: 36,
      handover: 5,
      revision: 6,
      used: 1,
      interruptions: 0,
    } as const;
    expect(encodeEntry({ ...chained, payload: '"r"' }, 4)).toBe('+10;stepname;"r"');
    expect(encodeEntry({ ...chained, state: 'open', endedAfter: 0, handover: 0, revision: 0, payload: null }, 5)).toBe('o10;stepname');
  });

  it.each(['', '?1;a', '+;a', '+1', 'o1,2,3', '+xyz!;a', 'plain text', 'rubbish', 'o1'])('answers null for %p', (text) => {
    expect(decodeEntry(text, 0)).toBeNull();
  });
});

describe('numbers of a stored entry', () => {
  it('are read as base 36 is, signed ones too', () => {
    const lists = fc.array(
      fc.oneof(fc.integer({ min: -(2 ** 40), max: 2 ** 40 }), fc.constantFrom(Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER)),
      { minLength: 6, maxLength: 8 },
    );
    fc.assert(
      fc.property(lists, (list) => {
        const [startedAfter = 0, duration = 0, handover = 0, ahead = 0, used, interruptions] = list;
        expect(decodeEntry(`+${list.map((n) => n.toString(36)).join()};a;1`, 3)).toMatchObject({
          startedAfter,
          endedAfter: startedAfter + duration,
          handover,
          revision: handover === 0 ? 0 : handover + ahead,
          used,
          interruptions,
        });
      }),
    );
  });

  it.each(['+,1;a', '+1,;a', '+1,,2;a', '+-;a', '+--1;a', '+1-;a', '+A;a', '+ 1;a', '+1,2gosa7pa2gw;a', '+1,2,3,4,5,6,!;a'])(
    'are refused in %p',
    (text) => {
      expect(decodeEntry(text, 0)).toBeNull();
    },
  );
});

describe('past attempts', () => {
  it('survive the round trip', () => {
    const past = fc.record({
      attempt: fc.nat(),
      outcome: fc.constantFrom('failed', 'interrupted', 'worker-lost' as const),
      startedAfter: fc.nat(),
      duration: fc.nat(),
      note: fc.option(fc.stringMatching(/^[^;]+$/)),
      error: fc.string(),
    });
    fc.assert(
      fc.property(past, ({ duration, ...rest }) => {
        const whole = { ...rest, outcome: rest.outcome as 'failed', endedAfter: rest.startedAfter + duration };
        expect(decodePastAttempt(encodePastAttempt(whole))).toEqual(whole);
      }),
    );
  });

  it('keep the first three and the last seven', () => {
    const kept = new Map<string, number>();
    for (let execution = 1; execution <= 40; execution++) kept.set(pastAttemptField(3, execution), execution);
    expect(kept.size).toBe(PAST_ATTEMPTS_KEPT);
    expect([...kept.values()].sort((a, b) => a - b)).toEqual([1, 2, 3, 34, 35, 36, 37, 38, 39, 40]);
  });
});
