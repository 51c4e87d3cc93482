import { describe, expect, it } from '@jest/globals';
import { attemptContext, taskContext } from './attempt-context.js';
import { LazyAbortController } from './lazy-abort-controller.js';

describe('the context of an attempt', () => {
  const about = { runId: 'r', stepName: 's', attempt: 2, idempotencyKey: 'r/s' };

  it('has a signal that a copy takes along', () => {
    const controller = new LazyAbortController();
    const step = { ...attemptContext(about, controller), extra: 1 };
    const task = { ...taskContext(step, { a: 1 }) };
    expect(task).toEqual({ ...about, outputs: { a: 1 }, signal: controller.signal });
    controller.abort(new Error('stop'));
    expect([step.signal.aborted, task.signal.aborted]).toEqual([true, true]);
  });

  it('makes no signal before somebody asks', () => {
    let asked = 0;
    const controller = new LazyAbortController();
    const counted = new Proxy(controller, {
      get: (target, name) => (name === 'signal' && (asked += 1), Reflect.get(target, name, target)),
    });
    const task = taskContext(attemptContext(about, counted), {});
    expect(asked).toBe(0);
    expect([task.signal.aborted, asked]).toEqual([false, 1]);
  });
});
