import { describe, expect, it } from '@jest/globals';
import { errorCodes } from './error-codes.js';
import * as tree from './errors.js';
import { MillraceError } from './millrace-error.js';

const one: Readonly<Record<string, MillraceError[]>> = {
  InvalidInput: [new tree.InvalidInput('graph', [{ path: 'nodes', message: 'must not be empty' }])],
  PayloadError: Object.keys(errorCodes)
    .filter((code): code is tree.PayloadErrorCode => code.startsWith('payload_'))
    .map((code) => new tree.PayloadError(code, 'result cannot be stored')),
  ConfigurationError: [new tree.ConfigurationError(['a is not known', 'b must be a number'])],
  StoreUnavailable: [new tree.StoreUnavailable('commit', { cause: new Error('closed') })],
  ClaimLost: [new tree.ClaimLost('r1', 'the lease lapsed')],
  AbortedByClaimLoss: [new tree.AbortedByClaimLoss('r1')],
  NonDeterminismError: [new tree.NonDeterminismError('r1', 2, 'step a', 'step b')],
  StepFailed: [new tree.StepFailed('charge', 3, new TypeError('no'))],
  StepTimeout: [new tree.StepTimeout('charge', 100)],
  StepInterrupted: [new tree.StepInterrupted('charge', 'the worker stopped')],
  WorkerLost: [new tree.WorkerLost('step charge', 2)],
  RunCancelled: [new tree.RunCancelled('r1', 'by hand')],
  RunNotFound: [new tree.RunNotFound('r1')],
  IdempotencyConflict: [new tree.IdempotencyConflict('r1')],
  UnknownWorkflow: [new tree.UnknownWorkflow('fulfill', ['fulfil'], 2)],
  TaskNotServed: [new tree.TaskNotServed('print')],
  NonRetryable: [new tree.NonRetryable('card declined')],
};
const all = Object.values(one).flat();

describe('error tree', () => {
  it('has a class for every code, and a code in the table for every class', () => {
    const classes = Object.values(tree)
      .filter((member) => typeof member === 'function')
      .map(({ name }): string => name);
    expect(Object.keys(one).sort()).toEqual(classes.sort());
    expect(all.map(({ code }) => code).sort()).toEqual(Object.keys(errorCodes).sort());
  });

  it.each(all.map((error) => [error.code, error] as const))('%s says what its entry of the table says', (code, error) => {
    expect(errorCodes[code]).toMatchObject({ error: error.name, retryable: error.retryable });
    expect(errorCodes[code].meaning).toMatch(/\.$/);
    expect(error).toBeInstanceOf(MillraceError);
    expect(error).toBeInstanceOf(Error);
    expect(JSON.parse(JSON.stringify(error.details))).toEqual(error.details);
  });

  it('has a cause only when one was given', () => {
    const cause = new Error('closed');
    expect(new tree.StoreUnavailable('commit', { cause }).cause).toBe(cause);
    expect(Object.hasOwn(new tree.StoreUnavailable('commit'), 'cause')).toBe(false);
  });

  it('gives a class that a user derives its own name', () => {
    class CardDeclined extends tree.NonRetryable {}
    expect(new CardDeclined('no')).toMatchObject({ name: 'CardDeclined', code: 'non_retryable', retryable: false });
    expect(String(new CardDeclined('no'))).toBe('CardDeclined: no');
  });

  it('names the first 50 faults of an input and counts the rest', () => {
    const problems = Array.from({ length: 60 }, (_, index) => ({ path: `nodes[${index}].id`, message: 'must be text' }));
    const error = new tree.InvalidInput('graph', problems, 1000);
    expect(error.details.problems).toEqual(problems.slice(0, 50));
    expect(error.details.problemCount).toBe(1000);
    expect(error.message).toMatch(/^graph is not valid: nodes\[0\]\.id must be text; .*nodes\[49\]\.id must be text; and 950 more$/);
  });

  it('has all faults of a configuration in its message', () => {
    expect(one['ConfigurationError']?.[0]?.message).toBe('the configuration is not valid:\n  - a is not known\n  - b must be a number');
  });

  it('describes any last error of a step, shortly', () => {
    const hostile = {
      toString() {
        throw new Error('no');
      },
    };
    expect(new tree.StepFailed('charge', 1, new TypeError('no')).message).toBe('step charge failed after 1 attempt: TypeError: no');
    expect(new tree.StepFailed('charge', 2, hostile).message).toMatch(/cannot be described/);
    expect(new tree.StepFailed('charge', 2, null).message).toMatch(/: null$/);
    expect(new tree.StepFailed('charge', 2, new Error('x'.repeat(1 << 20))).message.length).toBeLessThan(600);
  });

  it('says what was meant', () => {
    expect(new tree.UnknownWorkflow('fulfill', ['fulfil'], 2).message).toBe('there is no workflow fulfill version 2; did you mean fulfil?');
  });
});
