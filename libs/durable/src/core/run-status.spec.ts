import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  drawRunStatuses,
  isClosed,
  isTerminal,
  nextStatus,
  type RunEvent,
  type RunStatus,
  runStatuses,
  runTransitions,
} from './run-status.js';

const events = Object.keys(runTransitions) as RunEvent[];
/** Events that only an operator causes on a run that has ended or was set aside. */
const ofOperators: readonly RunEvent[] = ['retry', 'cancel'];

/** Every status that a run can come to, beginning with none. */
function walk(): Map<RunStatus, readonly RunEvent[]> {
  const paths = new Map<RunStatus, readonly RunEvent[]>();
  const next: Array<readonly [RunStatus | null, readonly RunEvent[]]> = [[null, []]];
  for (let at = next.shift(); at !== undefined; at = next.shift()) {
    const [status, path] = at;
    for (const event of events) {
      const to = nextStatus(status, event);
      if (to === null || paths.has(to)) continue;
      paths.set(to, [...path, event]);
      next.push([to, [...path, event]]);
    }
  }
  return paths;
}

describe('run statuses', () => {
  it('are all reached, and each open one can still come to every end', () => {
    expect([...walk().keys()].sort()).toEqual([...runStatuses].sort());
    for (const status of runStatuses.filter((each) => !isTerminal(each))) {
      expect(events.some((event) => nextStatus(status, event) !== null)).toBe(true);
      expect(nextStatus(status, 'cancel')).toBe('cancelled');
      expect(nextStatus(status, 'set-aside')).toBe('set-aside');
    }
  });

  it('begin with submit alone, and only once', () => {
    expect(events.filter((event) => nextStatus(null, event) !== null)).toEqual(['submit']);
    for (const status of runStatuses) expect(nextStatus(status, 'submit')).toBeNull();
  });

  it('let only an operator move a terminal run', () => {
    for (const status of runStatuses.filter(isTerminal)) {
      for (const event of events.filter((each) => !ofOperators.includes(each))) expect(nextStatus(status, event)).toBeNull();
    }
    expect(nextStatus('set-aside', 'retry')).toBe('queued');
    expect(nextStatus('failed', 'retry')).toBe('queued');
    expect(nextStatus('completed', 'retry')).toBeNull();
    expect(nextStatus('cancelled', 'retry')).toBeNull();
  });

  it('tell an end from being set aside', () => {
    expect(runStatuses.filter(isTerminal)).toEqual(['completed', 'failed', 'cancelled', 'set-aside']);
    expect(runStatuses.filter(isClosed)).toEqual(['completed', 'failed', 'cancelled']);
  });

  it('complete and fail only while a worker runs them, whatever came before', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...events), { maxLength: 30 }), (sequence) => {
        let status: RunStatus | null = null;
        for (const event of sequence) {
          const to = nextStatus(status, event);
          if (to === 'completed' || to === 'failed') expect(status).toBe('running');
          if (to === 'running') expect(status).toBe('queued');
          status = to ?? status;
        }
      }),
    );
  });

  it('are drawn in the architecture page as they are', () => {
    expect(readFileSync(new URL('../../../../docs/architecture.md', import.meta.url), 'utf8')).toContain(drawRunStatuses());
  });

  it('are drawn with every transition', () => {
    const drawing = drawRunStatuses();
    expect(drawing).toContain('  [*] --> queued: submit\n');
    expect(drawing).toContain('  state "set-aside" as set_aside\n');
    const arrows = drawing.split('\n').filter((line) => line.includes(' --> ') && !line.includes('[*]'));
    expect(arrows).toHaveLength(events.reduce((count, event) => count + runTransitions[event].from.length, 0));
    for (const event of events)
      for (const from of runTransitions[event].from) {
        expect(arrows).toContain(`  ${from.replace('-', '_')} --> ${runTransitions[event].to.replace('-', '_')}: ${event}`);
      }
  });
});
