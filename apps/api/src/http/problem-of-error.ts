import { STATUS_CODES } from 'node:http';
import { type ErrorCode, MillraceError } from '@millrace/durable';
import { HttpProblem } from './problem.js';

/** An RFC 9457 problem document and how it is answered. */
export interface ProblemAnswer {
  readonly status: number;
  readonly document: ProblemDocument;
  readonly headers: Readonly<Record<string, string>>;
}

export interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly [member: string]: unknown;
}

interface CodeAnswer {
  readonly status: number;
  /** What HTTP calls it. @defaultValue the error's code */
  readonly code?: string;
}

/** The one place that knows which HTTP status an error of the library has. What is not here is 500. */
const answers: Readonly<Partial<Record<ErrorCode, CodeAnswer>>> = {
  invalid_input: { status: 422 },
  payload_unsupported: { status: 422 },
  payload_circular: { status: 422 },
  payload_too_deep: { status: 422 },
  payload_too_large: { status: 413 },
  store_unavailable: { status: 503 },
  run_not_found: { status: 404 },
  idempotency_conflict: { status: 422 },
  unknown_workflow: { status: 422 },
  task_not_served: { status: 422, code: 'unknown_task' },
};

/** Fastify's own refusals that get a code of their own; others are named by their status. */
const frameworkCodes: Readonly<Record<string, string>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_BAD_URL: 'invalid_request',
};

const retryAfter = { 'retry-after': '1' };

/** The problem document of whatever was thrown. An error that nobody foresaw is 500 and tells nothing of itself. */
export function problemOfError(error: unknown, { bodyLimitBytes }: Readonly<{ bodyLimitBytes: number }>): ProblemAnswer {
  if (error instanceof HttpProblem) return answer(error.status, error.code, error.message, error.members, error.headers);
  if (error instanceof MillraceError) return problemOfMillraceError(error);
  const status = statusOf(error);
  if (status === 413)
    return answer(413, 'body_too_large', `the body is over the limit of ${bodyLimitBytes} bytes`, { limitBytes: bodyLimitBytes });
  if (status >= 400 && status < 500) return answer(status, codeOf(error, status), messageOf(error));
  return answer(500, 'internal_error', 'the request could not be answered; the log of the service says why');
}

function problemOfMillraceError(error: MillraceError): ProblemAnswer {
  const known = answers[error.code];
  if (known === undefined) return answer(500, 'internal_error', 'the request could not be answered; the log of the service says why');
  const { status, code = error.code } = known;
  // Which call of the store was not answered is nothing a client can use.
  const members = status === 503 ? {} : error.details;
  return answer(status, code, error.message, members, status === 503 ? retryAfter : {});
}

function answer(
  status: number,
  code: string,
  detail: string,
  members: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
): ProblemAnswer {
  const document = { ...members, type: `urn:millrace:problem:${code}`, title: STATUS_CODES[status] ?? 'Error', status, code, detail };
  return { status, document, headers };
}

/** Errors of Fastify and its plugins carry `statusCode`, those of Nest `getStatus()`. */
function statusOf(error: unknown): number {
  if (typeof error !== 'object' || error === null) return 500;
  if ('getStatus' in error && typeof error.getStatus === 'function') return Number(error.getStatus());
  return 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500;
}

function codeOf(error: unknown, status: number): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  const known = Object.hasOwn(frameworkCodes, code) ? frameworkCodes[code] : undefined;
  return known ?? (STATUS_CODES[status] ?? 'error').toLowerCase().replaceAll(/[^a-z]+/g, '_');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'the request was refused';
}
