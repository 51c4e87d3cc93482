import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { eventLog } from '../testing/event-log.js';
import { FakeClock } from '../testing/fake-clock.js';
import { fixedRandomness } from '../testing/fixed-randomness.js';
import { Outage } from './outage.js';

function setUp() {
  const clock = new FakeClock();
  const log = eventLog();
  return { clock, log, outage: new Outage({ loop: 'test', clock, random: fixedRandomness(), emit: log.emit }) };
}

describe('Outage', () => {
  it('tells its beginning and its end, once each', () => {
    const { outage, log } = setUp();
    outage.failed(new Error('first'));
    outage.failed(new Error('second'));
    outage.succeeded();
    outage.succeeded();
    expect(log.events).toMatchObject([{ type: 'loop.failed', loop: 'test', error: { message: 'first' } }, { type: 'loop.recovered' }]);
  });

  it('does not flood a log when a connection is cut again and again (B71)', () => {
    const { outage, log, clock } = setUp();
    for (let cuts = 0; cuts < 50; cuts++) {
      outage.failed(new Error('cut'));
      outage.succeeded();
      clock.advance(300);
    }
    expect(log.events).toHaveLength(4);
  });

  it('tells an outage that goes on although its beginning was kept back', () => {
    const { outage, log, clock } = setUp();
    outage.failed(new Error('cut'));
    outage.succeeded();
    outage.failed(new Error('down'));
    clock.advance(10_000);
    outage.failed(new Error('still down'));
    expect(log.events.map(({ type }) => type)).toEqual(['loop.failed', 'loop.recovered', 'loop.failed']);
    expect(outage.isOn).toBe(true);
  });

  it('answers delays that grow to a bound and are never nothing', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2000 }), (failures) => {
        const { outage } = setUp();
        let delay = 0;
        for (let count = 0; count < failures; count++) delay = outage.failed('down');
        expect(delay).toBeGreaterThanOrEqual(50);
        expect(delay).toBeLessThanOrEqual(3000);
      }),
      { numRuns: 20 },
    );
  });
});
