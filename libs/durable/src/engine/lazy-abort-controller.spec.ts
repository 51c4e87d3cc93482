import { describe, expect, it } from '@jest/globals';
import { LazyAbortController } from './lazy-abort-controller.js';

describe('LazyAbortController', () => {
  it('aborts a signal that was asked for, with the first reason', () => {
    const controller = new LazyAbortController();
    const { signal } = controller;
    expect([signal.aborted, controller.signal]).toEqual([false, signal]);
    const reasons = [new Error('first'), new Error('second')] as const;
    for (const reason of reasons) controller.abort(reason);
    expect([signal.aborted, signal.reason]).toEqual([true, reasons[0]]);
  });

  it('answers an aborted signal to who asks later', () => {
    const controller = new LazyAbortController();
    const reason = new Error('over');
    controller.abort(reason);
    controller.abort(new Error('late'));
    expect([controller.signal.aborted, controller.signal.reason]).toEqual([true, reason]);
  });
});
