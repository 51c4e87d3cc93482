import { describe, expect, it } from '@jest/globals';
import { SubmittedInputs } from './submitted-inputs.js';

const first = { digest: 'd', createdAt: 1 };

describe('SubmittedInputs', () => {
  it('answers the input of the run it was kept for, and of no other run of that id', () => {
    const inputs = new SubmittedInputs();
    inputs.keep('r', first, '"one"');
    expect(inputs.of('r', first)).toBe('"one"');
    expect(inputs.of('r', { digest: 'd', createdAt: 2 })).toBeUndefined();
    expect(inputs.of('r', { digest: 'e', createdAt: 1 })).toBeUndefined();
    inputs.keep('r', { digest: 'd', createdAt: 2 }, '"two"');
    expect(inputs.of('r', { digest: 'd', createdAt: 2 })).toBe('"two"');
    expect(inputs.of('r', first)).toBeUndefined();
  });

  it('keeps no more than it may: the oldest go first, and what is too large by itself is not kept', () => {
    const inputs = new SubmittedInputs(10);
    for (const runId of ['a', 'b', 'c']) inputs.keep(runId, first, 'four');
    expect(['a', 'b', 'c'].map((runId) => inputs.has(runId))).toEqual([false, true, true]);
    inputs.keep('d', first, 'eleven char');
    expect(['b', 'c', 'd'].map((runId) => inputs.has(runId))).toEqual([false, false, false]);
    inputs.keep('e', first, 'ten chars!');
    expect(inputs.of('e', first)).toBe('ten chars!');
  });

  it('counts an input that was kept anew once', () => {
    const inputs = new SubmittedInputs(10);
    for (let time = 0; time < 10; time += 1) inputs.keep('r', first, 'sixsix');
    inputs.keep('s', first, 'four');
    expect([inputs.has('r'), inputs.has('s')]).toEqual([true, true]);
  });
});
