import { describe, expect, it } from '@jest/globals';
import { faultRepairs, faultNamed } from './audit/faults.js';
import { scripts } from './scripts.generated.js';
import { scriptStatuses, statusWord } from './status.js';

/** The status words of a script: what its constants in capitals stand for. */
function wordsOf(lua: string): string[] {
  const constants = [...lua.matchAll(/^local [A-Z_]+(?:, ?[A-Z_]+)* = ((?:'[a-z-]+'(?:, ?)?)+)$/gm)];
  return constants.flatMap(([, values = '']) => values.split(/, ?/).map((word) => word.slice(1, -1)));
}

describe('the status table', () => {
  it('has every status of every script, and none that no script answers', () => {
    // A batch answers what the scripts answer that it is made of.
    const { batch: _, ...single } = scripts;
    const found = Object.entries(single).flatMap(([name, { lua }]) => {
      const words = wordsOf(lua);
      return words.length === 0 ? [] : [[name, words] as const];
    });
    expect(Object.fromEntries(found)).toEqual(scriptStatuses);
  });

  it('refuses an answer that is no status', () => {
    expect(statusWord('commit', 'look')).toBe('look');
    expect(() => statusWord('commit', 'busy')).toThrow('script commit answered "busy"');
    expect(() => statusWord('commit', null)).toThrow('script commit answered null');
  });
});

describe('the table of faults', () => {
  it('has every fault that a script names', () => {
    const named = [...scripts.mendRun.lua.matchAll(/(?:atOdds\(|fault = |and |or )'([a-z-]{4,})'/g)].map(([, fault]) => fault ?? '');
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((fault) => !Object.hasOwn(faultRepairs, fault))).toEqual([]);
  });

  it('refuses a word that is none', () => {
    expect(faultNamed('wrong-index')).toBe('wrong-index');
    expect(() => faultNamed('toString')).toThrow('"toString" is no fault of the auditor');
  });
});

describe('every script', () => {
  it.each(Object.entries(scripts))(
    '%s declares itself as one, so that a cluster and a full server refuse it before its first write',
    (_name, { lua }) => {
      expect(lua).toMatch(/^#!lua( flags=no-writes)?\n/);
    },
  );

  it.each(Object.entries(scripts))('%s makes no key by gluing texts', (_name, { lua }) => {
    const calls = [...lua.matchAll(/redis\.p?call\('[A-Z]+', ([^),]+)/g)].map(([, first = '']) => first);
    expect(calls.filter((first) => first.includes('..') && !first.startsWith('bellPrefix'))).toEqual([]);
  });
});
