import type { Problem as InputFault } from '@millrace/durable';

/** What {@link HttpProblem} is made of. */
export interface HttpProblemOptions {
  readonly status: number;
  /** Stable; clients tell problems apart by it. */
  readonly code: string;
  readonly detail: string;
  /** Further members of the problem document. */
  readonly members?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refusal that the HTTP layer itself decides. */
export class HttpProblem extends Error {
  readonly status: number;
  readonly code: string;
  readonly members: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor({ status, code, detail, members = {}, headers = {} }: HttpProblemOptions) {
    super(detail);
    this.status = status;
    this.code = code;
    this.members = members;
    this.headers = headers;
  }
}

/** 400 that names every fault of a body, a query or a path. */
export function invalidRequest(what: string, problems: readonly InputFault[]): HttpProblem {
  const spelled = problems.slice(0, 5).map(({ path, message }) => `${path} ${message}`);
  const rest = problems.length - spelled.length;
  const detail = `the ${what} is not valid: ${spelled.join('; ')}${rest > 0 ? `; and ${rest} more` : ''}`;
  return new HttpProblem({ status: 400, code: 'invalid_request', detail, members: { problems: problems.slice(0, 50) } });
}
