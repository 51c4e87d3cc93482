import { setTimeout as delay } from 'node:timers/promises';

/** A run as `GET /v1/runs/:runId` answers it, as far as the examples read it. */
export interface RunView {
  readonly runId: string;
  readonly status: string;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly output: unknown;
  readonly error: { readonly name: string; readonly message: string } | null;
}

/** A step as `GET /v1/runs/:runId/steps` answers it, as far as the examples read it. */
export interface StepView {
  readonly name: string | null;
  readonly state: string | null;
  readonly attempts: number;
}

export interface StepPage {
  readonly steps: readonly StepView[];
  readonly cursor: string | null;
}

/** A run to submit, as `POST /v1/runs` takes it. */
export type Submission = Readonly<Record<string, unknown>>;

export interface MillraceHttpOptions {
  /** Address of the API, without a path. */
  readonly url: string;
  /** Bearer token. @defaultValue none */
  readonly token?: string | undefined;
  /** How long an API that does not answer, or answers 503, is asked again, ms. @defaultValue 60,000 */
  readonly patienceMs?: number;
}

const POLL_MS = 500;
const STEPS_PER_PAGE = 200;
const LONG_POLL = '20s';

/** True when no worker works on the run any more. */
export function isOver({ status }: Pick<RunView, 'status'>): boolean {
  return !['queued', 'running', 'waiting'].includes(status);
}

/** The API answered with a problem document. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';

  constructor(
    readonly status: number,
    /** Stable; tell problems apart by it. */
    readonly code: string,
    detail: string,
  ) {
    super(`${code}: ${detail}`);
  }
}

/**
 * The few calls that the examples make. All of them may be repeated, a submission because of its key, so an API that is away
 * for a moment is waited for.
 */
export class MillraceHttp {
  private readonly patienceMs: number;

  constructor(private readonly options: MillraceHttpOptions) {
    this.patienceMs = options.patienceMs ?? 60_000;
  }

  /** Submits a run. @throws ApiProblem */
  submit(submission: Submission, idempotencyKey: string = crypto.randomUUID()): Promise<RunView> {
    const headers = { 'content-type': 'application/json', 'idempotency-key': idempotencyKey };
    return this.call('/v1/runs', { method: 'POST', headers, body: JSON.stringify(submission) });
  }

  /** The run as it is now. @throws ApiProblem */
  run(runId: string): Promise<RunView> {
    return this.call(`/v1/runs/${encodeURIComponent(runId)}`);
  }

  /** The run once it is terminal. @throws ApiProblem */
  async end(runId: string, signal?: AbortSignal): Promise<RunView> {
    for (;;) {
      signal?.throwIfAborted();
      const run = await this.call<RunView>(
        `/v1/runs/${encodeURIComponent(runId)}?wait=${LONG_POLL}`,
        signal === undefined ? {} : { signal },
      );
      if (isOver(run)) return run;
    }
  }

  /** A page of the run's steps. @throws ApiProblem */
  steps(runId: string, cursor: string | null): Promise<StepPage> {
    const from = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    return this.call(`/v1/runs/${encodeURIComponent(runId)}/steps?limit=${STEPS_PER_PAGE}${from}`);
  }

  private async call<T>(path: string, request: RequestInit = {}): Promise<T> {
    const deadline = performance.now() + this.patienceMs;
    for (;;) {
      try {
        return await this.callOnce<T>(path, request);
      } catch (error) {
        if (!isPassing(error) || performance.now() + POLL_MS >= deadline) throw error;
        await delay(POLL_MS);
      }
    }
  }

  private async callOnce<T>(path: string, request: RequestInit): Promise<T> {
    const { url, token } = this.options;
    const headers = new Headers(request.headers);
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
    const response = await fetch(new URL(path, url), { ...request, headers });
    if (!response.ok) throw await problemOf(response);
    return (await response.json()) as T;
  }
}

async function problemOf(response: Response): Promise<ApiProblem> {
  const text = await response.text();
  try {
    const { code, detail } = JSON.parse(text) as { code: string; detail: string };
    return new ApiProblem(response.status, code, detail);
  } catch {
    // Not our API, or a proxy before it.
    return new ApiProblem(response.status, 'not_a_problem_document', text.slice(0, 200));
  }
}

/** `fetch` rejects with a TypeError when nobody answers. */
function isPassing(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof ApiProblem && error.status === 503);
}
