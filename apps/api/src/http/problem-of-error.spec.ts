import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { type ErrorCode, errorCodes, MillraceError } from '@millrace/durable';
import { problemOfError } from './problem-of-error.js';

class AnyError extends MillraceError {
  constructor(code: ErrorCode) {
    super(code, 'what happened', { details: { secret: 'of the inside', status: 1, code: 'forged' } });
  }
}

/** Errors that a client can do something about; every other code is a fault of the service. */
const expected: Readonly<Partial<Record<ErrorCode, readonly [number, string]>>> = {
  invalid_input: [422, 'invalid_input'],
  payload_unsupported: [422, 'payload_unsupported'],
  payload_circular: [422, 'payload_circular'],
  payload_too_deep: [422, 'payload_too_deep'],
  payload_too_large: [413, 'payload_too_large'],
  store_unavailable: [503, 'store_unavailable'],
  run_not_found: [404, 'run_not_found'],
  idempotency_conflict: [422, 'idempotency_conflict'],
  unknown_workflow: [422, 'unknown_workflow'],
  task_not_served: [422, 'unknown_task'],
};
const limits = { bodyLimitBytes: 10 };

describe('problemOfError', () => {
  it.each(Object.keys(errorCodes) as ErrorCode[])('answers %s as is written down', (code) => {
    const [status, name] = expected[code] ?? [500, 'internal_error'];
    const { document, headers } = problemOfError(new AnyError(code), limits);
    expect(document).toMatchObject({ status, code: name, type: `urn:millrace:problem:${name}` });
    expect(headers).toEqual(status === 503 ? { 'retry-after': '1' } : {});
    if (status >= 500) expect(JSON.stringify(document)).not.toContain('secret');
  });

  it.each([
    new Error('secret'),
    'secret',
    null,
    undefined,
    7,
    { statusCode: 'secret' },
    Object.assign(new Error('secret'), { statusCode: 502 }),
  ])('tells nothing of %p', (thrown) => {
    const { document } = problemOfError(thrown, limits);
    expect(document).toMatchObject({ status: 500, code: 'internal_error' });
    expect(JSON.stringify(document)).not.toContain('secret');
  });

  it('takes the status of errors of plugins', () => {
    const tooMany = Object.assign(new Error('slow down'), { statusCode: 429 });
    expect(problemOfError(tooMany, limits).document).toMatchObject({ status: 429, code: 'too_many_requests', detail: 'slow down' });
  });

  it('answers only codes that the README lists', () => {
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
    const common = Object.values(expected)
      .map(([, code]) => code)
      .filter((code) => !/unsupported|circular/.test(code));
    const own = [
      'invalid_request',
      'invalid_json',
      'unsafe_number',
      'too_deep',
      'unauthorized',
      'forbidden',
      'no_graph',
      'method_not_allowed',
      'run_closed',
      'body_too_large',
      'unsupported_media_type',
      'overloaded',
      'stopping',
      'not_ready',
    ];
    for (const code of [...common, ...own]) expect(readme).toContain(`\`${code}\``);
  });
});
