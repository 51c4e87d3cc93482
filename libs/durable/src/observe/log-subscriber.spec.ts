import { describe, expect, it } from '@jest/globals';
import { StoreUnavailable } from '../core/errors.js';
import type { DurableEvent } from '../core/events.js';
import { type EventLogger, logEvents, type LogLevel } from './log-subscriber.js';

const ofRun = { runId: 'r', workflow: 'w' } as const;

function linesOf(...events: DurableEvent[]): Array<[LogLevel, string, object]> {
  const lines: Array<[LogLevel, string, object]> = [];
  const at = (level: LogLevel) => (fields: object, message: string) => void lines.push([level, message, fields]);
  const logger: EventLogger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  for (const event of events) logEvents(logger)(event);
  return lines;
}

describe('logEvents', () => {
  it('writes the type as message and the rest as fields', () => {
    expect(linesOf({ type: 'run.parked', ...ofRun, wakeAt: 5 })).toEqual([['debug', 'run.parked', { ...ofRun, wakeAt: 5 }]]);
  });

  it('raises its voice for what an operator must see', () => {
    const ended = (status: 'completed' | 'failed' | 'set-aside') => ({ type: 'run.ended', ...ofRun, status, error: null }) as const;
    const levels = linesOf(ended('completed'), ended('failed'), ended('set-aside'), { type: 'claims.buried', count: 1, setAside: [] }).map(
      ([level]) => level,
    );
    expect(levels).toEqual(['info', 'warn', 'error', 'warn']);
  });

  it('shows errors with code and cause, and no credentials', () => {
    const cause = new Error('connect to redis://user:p@ss@10.0.0.1:6379 failed');
    const [line] = linesOf({ type: 'loop.failed', loop: 'pump', error: new StoreUnavailable('pump', { cause }), retryInMs: 100 });
    expect(line?.[2]).toMatchObject({
      error: { name: 'StoreUnavailable', code: 'store_unavailable', cause: 'Error: connect to redis://***@10.0.0.1:6379 failed' },
    });
    expect(JSON.stringify(line)).not.toContain('p@ss');
  });

  it('does not let a broken logger change what happens', () => {
    const broken = () => {
      throw new Error('no space left');
    };
    const sink = logEvents({ debug: broken, info: broken, warn: broken, error: broken });
    expect(() => sink({ type: 'claim.renewed', ...ofRun })).not.toThrow();
  });
});
