import { describe, expect, it } from '@jest/globals';
import { eventLog } from './event-log.js';
import { signalled } from './signalled.js';

describe('signalled', () => {
  it('hands a signal to who waits for it, raised before or after', async () => {
    const signals = signalled<number>();
    signals.raise('parked', 1);
    const second = (async () => [await signals.waitFor('parked'), await signals.waitFor('parked')])();
    signals.raise('parked', 2);
    await expect(second).resolves.toEqual([1, 2]);
    expect(signals.count('parked')).toBe(2);
  });

  it('says what it waited for, how long, and what lies untaken', async () => {
    const signals = signalled({ limitMs: 10 });
    signals.raise('run r2 parked');
    await expect(signals.waitFor('run r1 parked')).rejects.toThrow("waited 0.01 s for 'run r1 parked'; untaken: 'run r2 parked'");
  });

  it('forgets a wait that ran out: the next signal goes to the next wait', async () => {
    const signals = signalled<string>();
    await expect(signals.waitFor('x', { limitMs: 1 })).rejects.toThrow('waited');
    signals.raise('x', 'kept');
    await expect(signals.waitFor('x')).resolves.toBe('kept');
  });
});

describe('eventLog', () => {
  it('finds an event by its type, and by its type and run', async () => {
    const log = eventLog();
    const waiting = log.waitFor('run.released', 'r2');
    log.emit({ type: 'run.released', runId: 'r1', workflow: 'w' });
    log.emit({ type: 'run.released', runId: 'r2', workflow: 'w' });
    await expect(waiting).resolves.toMatchObject({ runId: 'r2' });
    await expect(log.waitFor('run.released')).resolves.toMatchObject({ runId: 'r1' });
    expect(log.events).toHaveLength(2);
  });
});
