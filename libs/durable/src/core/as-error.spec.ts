import { describe, expect, it } from '@jest/globals';
import { asError } from './as-error.js';

describe('asError', () => {
  it('leaves errors as they are and wraps anything else', () => {
    const error = new Error('x');
    expect(asError(error)).toBe(error);
    expect(asError('text')).toMatchObject({ message: 'not an error was thrown: text', cause: 'text' });
  });
});
