import { Body, Controller, Headers, HttpCode, Inject, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { identifierFault, type Submitted, type SubmitRun } from '@millrace/durable';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CallerNamespace } from '../auth/caller.js';
import { API_CONFIG, PAYLOAD_READER } from '../api-deps.js';
import type { ApiConfig } from '../config/config.js';
import { toDto } from '../http/dto.js';
import { HttpProblem, invalidRequest } from '../http/problem.js';
import { problemOfError } from '../http/problem-of-error.js';
import { Route } from '../http/route.js';
import { Namespaces, type OpenNamespace } from '../namespaces/namespaces.js';
import { NoQuery } from './queries.dto.js';
import { RunDto } from './run.dto.js';
import { rowView, runView } from './run-view.js';
import { type PayloadReader, payloadView } from './stored-view.js';
import { toSubmission } from './submission.js';
import { type BatchAnswerDto, BatchAnswersDto, BatchItemDto, SubmitBatchDto, SubmitRunDto } from './submit.dto.js';

const refusals = {
  400: 'Not JSON, fields that are missing, unknown or of a wrong type (named in `problems`), or a number that cannot be kept exactly.',
  413: 'Body or payload over its limit; `limitBytes` or the detail names it.',
  415: 'The body is not `application/json`.',
} as const;
const KEY_HEADER = 'Idempotency-Key';
/** Taken silently, it would make a client believe that a batch may be repeated. */
const BATCH_KEY_FAULT = 'is not for batches: give each item its own idempotencyKey';

@ApiTags('runs')
@Controller('v1/runs')
export class SubmissionsController {
  constructor(
    private readonly namespaces: Namespaces,
    @Inject(PAYLOAD_READER) private readonly codec: PayloadReader,
    @Inject(API_CONFIG) private readonly config: ApiConfig,
  ) {}

  /**
   * Submits a run. With an id or key, a repetition of the same request answers the run that is there (200, header
   * `Idempotency-Replayed: true`); another request under it is refused and the answer names the run.
   */
  @Post()
  @HttpCode(202)
  @Route('submit', {
    ...refusals,
    422: 'Unknown workflow (`near` lists similar names) or task, input that does not fit the schema, a graph with faults, or `idempotency_conflict`.',
  })
  @ApiOperation({ operationId: 'submitRun', summary: 'Submit a run' })
  @ApiHeader({ name: KEY_HEADER, required: false, description: 'An identifier. Without a `runId`, the run id is made of it.' })
  @ApiBody({ type: SubmitRunDto })
  @ApiResponse({
    status: 202,
    type: RunDto,
    description: 'The run was made.',
    headers: { Location: { schema: { type: 'string' }, description: 'Path of the run.' } },
  })
  @ApiResponse({ status: 200, type: RunDto, description: 'The same request made it before.' })
  async submit(
    @CallerNamespace() namespace: string,
    @Headers('idempotency-key') key: string | undefined,
    @Query() _query: NoQuery,
    @Body() dto: SubmitRunDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RunDto> {
    const submission = toSubmission(dto, checkedKey(key));
    const open = this.namespaces.get(namespace);
    const submitted = await open.client.submit(submission);
    reply.header('location', `/v1/runs/${encodeURIComponent(submitted.run.runId)}`);
    if (submitted.outcome === 'existing') reply.status(200).header('idempotency-replayed', 'true');
    return this.view(open, submitted);
  }

  /**
   * Submits up to 1,000 runs. Each item is judged by the rules of a single submission and has its own status; the order of the
   * answers is that of the items, and equal ids behave as submitted one after the other.
   */
  @Post('batch')
  @HttpCode(200)
  @Route('submit', refusals)
  @ApiOperation({ operationId: 'submitBatch', summary: 'Submit many runs' })
  @ApiBody({ type: SubmitBatchDto })
  @ApiResponse({ status: 200, type: BatchAnswersDto, description: 'An answer per item.' })
  async submitBatch(
    @CallerNamespace() namespace: string,
    @Query() _query: NoQuery,
    @Body() dto: SubmitBatchDto,
    @Req() { headers }: FastifyRequest,
  ): Promise<BatchAnswersDto> {
    if (headers[KEY_HEADER.toLowerCase()] !== undefined) throw invalidRequest('header', [{ path: KEY_HEADER, message: BATCH_KEY_FAULT }]);
    const items = dto.runs.map((item) => this.itemOf(item));
    const submissions = items.filter((item): item is SubmitRun => !(item instanceof HttpProblem));
    const submitted = await this.namespaces.get(namespace).client.submitMany(submissions);
    const inOrder = submitted.values();
    return { answers: items.map((item) => this.batchAnswer(item instanceof HttpProblem ? item : inOrder.next().value)) };
  }

  private itemOf(item: unknown): SubmitRun | HttpProblem {
    try {
      const dto = toDto(BatchItemDto, item, 'item');
      return toSubmission(dto, dto.idempotencyKey);
    } catch (error) {
      if (error instanceof HttpProblem) return error;
      throw error;
    }
  }

  private batchAnswer(answer: Submitted | Error | undefined): BatchAnswerDto {
    if (answer === undefined) throw new Error('an item of a batch was not answered');
    if (!(answer instanceof Error)) return { status: answer.outcome === 'created' ? 202 : 200, run: rowView(asRow(answer)) };
    const { status, document } = problemOfError(answer, this.config);
    return { status, problem: { ...document } };
  }

  /** A run that is there may have ended: it is read with its output. One that was just made has none. */
  private async view({ storage }: OpenNamespace, submitted: Submitted): Promise<RunDto> {
    const head = submitted.outcome === 'existing' ? await storage.inspector.getRun(submitted.run.runId) : null;
    if (head !== null) return runView(this.codec, head);
    const input = payloadView(this.codec, submitted.input, 'input').value;
    // Not by spreading: a copy of so many members to which others are added costs as much as all of the client's checks.
    return Object.assign(rowView(asRow(submitted)), { input, output: null, error: null, broken: null });
  }
}

function checkedKey(key: string | undefined): string | undefined {
  const fault = key === undefined ? null : identifierFault(key);
  if (fault !== null) throw invalidRequest('header', [{ path: KEY_HEADER, message: fault }]);
  return key;
}

function asRow({ run }: Submitted) {
  return { wakeAt: null, cancel: null, ...run };
}
