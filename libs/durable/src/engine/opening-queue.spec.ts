import { describe, expect, it } from '@jest/globals';
import { defaultBackoff } from '../core/backoff.js';
import { FunctionSlots } from './function-slots.js';
import { OpeningQueue } from './opening-queue.js';
import { StepOperation } from './operations.js';

const options = { attempts: 1, timeoutMs: null, backoff: defaultBackoff, nonRetryable: [], key: null };
const settler = { resolve: () => undefined, reject: () => undefined };

function queueOf(limit: number, steps: number) {
  const slots = new FunctionSlots(limit);
  const calls = { slots: 0 };
  const queue = new OpeningQueue(slots, () => {
    calls.slots += 1;
  });
  for (let at = 0; at < steps; at++) queue.add(new StepOperation(at, `s${at}`, settler, () => undefined, options, ''));
  const take = () => queue.take().map(({ name }) => name);
  return { slots, queue, calls, take };
}

describe('OpeningQueue', () => {
  it('takes as many as there are slots for, and tells when one comes for the rest', async () => {
    const { slots, take, calls } = queueOf(2, 4);
    expect(take()).toEqual(['s0', 's1']);
    expect([take(), slots.queued]).toEqual([[], 1]);
    slots.release();
    await Promise.resolve();
    expect(calls.slots).toBe(1);
    expect(take()).toEqual(['s2']);
  });

  it('takes 200 for one commit at most, and asks for no slot then', () => {
    const { take, slots } = queueOf(1000, 450);
    expect([take().length, take().length, take().length]).toEqual([200, 200, 50]);
    expect(slots.queued).toBe(0);
  });

  it('has what is put back first again, and its slots are free', () => {
    const { queue, slots, take } = queueOf(2, 2);
    queue.putBack(queue.take());
    expect([queue.size, slots.running]).toEqual([2, 0]);
    expect(take()).toEqual(['s0', 's1']);
  });

  it('keeps no slot from others once it is shut, also not one that was on its way', async () => {
    const { queue, slots, calls } = queueOf(1, 2);
    queue.take();
    slots.release();
    queue.shut();
    await Promise.resolve();
    expect([slots.running, slots.queued, calls.slots, queue.take()]).toEqual([0, 0, 0, []]);
  });

  it('gives a slot that came and was not used yet back when it is shut', async () => {
    const { queue, slots, calls } = queueOf(1, 2);
    queue.take();
    slots.release();
    await Promise.resolve();
    expect([calls.slots, slots.running]).toEqual([1, 1]);
    queue.shut();
    expect(slots.running).toBe(0);
  });
});
