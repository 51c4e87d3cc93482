import { describe, expect, it } from '@jest/globals';
import { FunctionSlots } from './function-slots.js';

describe('FunctionSlots', () => {
  it('gives a slot that comes back to the first who asked, and never within the call that gives it back', async () => {
    const slots = new FunctionSlots(1);
    const granted: string[] = [];
    expect(slots.tryTake()).toBe(true);
    slots.request(() => granted.push('first'));
    slots.request(() => granted.push('second'));
    slots.release();
    expect([granted, slots.running, slots.queued]).toEqual([[], 1, 1]);
    await Promise.resolve();
    expect(granted).toEqual(['first']);
  });

  it('lets nobody pass those who wait', () => {
    const slots = new FunctionSlots(1);
    slots.tryTake();
    slots.request(() => undefined);
    slots.release();
    expect(slots.tryTake()).toBe(false);
  });

  it('forgets a request that is withdrawn', () => {
    const slots = new FunctionSlots(1);
    slots.tryTake();
    const withdraw = slots.request(() => {
      throw new Error('it was withdrawn');
    });
    withdraw();
    slots.release();
    expect([slots.running, slots.queued]).toEqual([0, 0]);
  });
});
