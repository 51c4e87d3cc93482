import { describe, expect, it } from '@jest/globals';
import { InvalidInput } from '../core/errors.js';
import { task, workflow } from './define.js';

const run = () => Promise.resolve(null);

function problemsOf(define: () => unknown): string[] {
  try {
    define();
  } catch (error) {
    if (error instanceof InvalidInput) return error.details.problems.map(({ path }) => path);
    throw error;
  }
  return [];
}

describe('workflow', () => {
  it('fills in the defaults', () => {
    expect(workflow({ name: 'w', version: 1 }, run)).toEqual({
      name: 'w',
      version: 1,
      queue: 'default',
      inputSchema: null,
      parseInput: expect.any(Function),
      run,
    });
  });

  it('hands an input over as it came when it declares none', () => {
    const input = { any: 'thing' };
    expect(workflow({ name: 'w', version: 1 }, run).parseInput(input)).toBe(input);
  });

  it('names every fault at once', () => {
    const wrong = { name: 'a b', version: 0, queue: '', input: {}, retries: 3 } as never;
    expect(problemsOf(() => workflow(wrong, null as never))).toEqual(['name', 'queue', 'run', 'version', 'input', 'retries']);
  });

  it('turns whatever a parser throws into InvalidInput', () => {
    const parse = (): never => {
      throw new TypeError('no such thing');
    };
    expect(() => workflow({ name: 'w', version: 1, input: { schema: null, parse } }, run).parseInput(1)).toThrow(
      new InvalidInput('input of workflow w', [{ path: '$', message: 'no such thing' }]),
    );
  });
});

describe('task', () => {
  it('keeps step options apart from its name and queue', () => {
    const execute = () => 1;
    expect(task({ name: 't', attempts: 2 }, execute)).toEqual({ name: 't', queue: 'default', options: { attempts: 2 }, execute });
  });

  it('names every fault at once, a step key among them', () => {
    expect(problemsOf(() => task({ name: '', attempts: 0, key: 'k', retry: 1 } as never, 1 as never))).toEqual([
      'name',
      'attempts',
      'retry',
      'execute',
      'key',
    ]);
  });
});
