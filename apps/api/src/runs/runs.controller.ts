import { Body, Controller, Get, Header, HttpCode, Inject, Param, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import { InvalidInput, parseDuration, RunNotFound } from '@millrace/durable';
import type { FastifyReply } from 'fastify';
import { PAYLOAD_READER } from '../api-deps.js';
import { CallerNamespace } from '../auth/caller.js';
import { HttpProblem, invalidRequest } from '../http/problem.js';
import { Route } from '../http/route.js';
import { RunIdPipe } from '../http/run-id.pipe.js';
import { Stopping } from '../http/stopping.js';
import { Namespaces } from '../namespaces/namespaces.js';
import { CancelAnswerDto, CancelRunDto } from './cancel.dto.js';
import { untilLeft } from './client-left.js';
import { DEFAULT_PAGE, ListRunsQuery, NoQuery, RunQuery, StepsQuery } from './queries.dto.js';
import { BrokenRunDto, RunDto, RunPageDto, RunRowDto } from './run.dto.js';
import { drawRun } from './run-drawing.js';
import { listedView, runView } from './run-view.js';
import { StepPageDto } from './step.dto.js';
import { stepView } from './step-view.js';
import type { PayloadReader } from './stored-view.js';

const invalid = { 400: 'A query or path that is not valid; `problems` names the faults.' } as const;
const missing = { 404: 'There is no such run.' } as const;
const runIdParam = { name: 'runId', type: String, description: 'Percent-encoded where need be.' } as const;

@ApiTags('runs')
@Controller('v1/runs')
export class RunsController {
  constructor(
    private readonly namespaces: Namespaces,
    private readonly stopping: Stopping,
    @Inject(PAYLOAD_READER) private readonly codec: PayloadReader,
  ) {}

  /** Runs, newest first, without their payloads. A run whose record cannot be read is shown as broken. */
  @Get()
  @Route('read', invalid)
  @ApiOperation({ operationId: 'listRuns', summary: 'List runs' })
  @ApiExtraModels(RunRowDto, BrokenRunDto)
  @ApiResponse({ status: 200, type: RunPageDto, description: 'A page of runs.' })
  async list(@CallerNamespace() namespace: string, @Query() query: ListRunsQuery): Promise<RunPageDto> {
    const { inspector } = this.namespaces.get(namespace).storage;
    const page = await inspector.list(listQueryOf(query)).catch(refuseBadCursor);
    return { runs: page.runs.map(listedView), cursor: page.cursor };
  }

  /** A run with input, output and error. With `wait`, once it is terminal or when the time is up, whichever is first. */
  @Get(':runId')
  @Route('read', { ...invalid, ...missing })
  @ApiOperation({ operationId: 'getRun', summary: 'Read a run, or wait for its end' })
  @ApiParam(runIdParam)
  @ApiResponse({ status: 200, type: RunDto, description: 'The run.' })
  async get(
    @CallerNamespace() namespace: string,
    @Param('runId', RunIdPipe) runId: string,
    @Query() { wait }: RunQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RunDto> {
    const { client } = this.namespaces.get(namespace);
    if (wait === undefined) return runView(this.codec, await client.get(runId));
    const left = untilLeft(reply, this.stopping.signal);
    const head = await client.wait(runId, { timeoutMs: parseDuration(wait), signal: left.signal }).finally(left.release);
    return runView(this.codec, head);
  }

  /** What the run did: steps and sleeps with results, errors and past attempts. */
  @Get(':runId/steps')
  @Route('read', { ...invalid, ...missing })
  @ApiOperation({ operationId: 'listSteps', summary: 'List the steps of a run' })
  @ApiParam(runIdParam)
  @ApiResponse({ status: 200, type: StepPageDto, description: 'A page of steps.' })
  async steps(
    @CallerNamespace() namespace: string,
    @Param('runId', RunIdPipe) runId: string,
    @Query() query: StepsQuery,
  ): Promise<StepPageDto> {
    const { storage } = this.namespaces.get(namespace);
    const progress = await storage.inspector.getProgress(runId);
    if (progress === null) throw new RunNotFound(runId);
    const { createdAt, journalEnd } = progress;
    const from = Number(query.cursor ?? 0);
    const { entries, next } = await storage.inspector.readJournal({ runId, from, journalEnd, limit: Number(query.limit ?? DEFAULT_PAGE) });
    const past = await storage.inspector.readPastAttempts(
      runId,
      entries.map(([number]) => number),
    );
    const steps = entries.map(([number, value], index) =>
      stepView(this.codec, createdAt, { number, value, pastAttempts: past[index] ?? [] }),
    );
    return { steps, cursor: next === null ? null : String(next) };
  }

  /**
   * Asks for the cancellation of a run. 200: nobody held it, it has ended. 202: its owner was told; no step starts any more, and
   * the run is cancelled once its running steps have ended. May be repeated.
   */
  @Post(':runId/cancel')
  @HttpCode(202)
  @Route('control', {
    ...invalid,
    ...missing,
    409: '`run_closed`: the run had ended before.',
    413: 'The body is over its limit.',
    415: 'The body is not JSON.',
  })
  @ApiOperation({ operationId: 'cancelRun', summary: 'Cancel a run' })
  @ApiParam(runIdParam)
  @ApiBody({ type: CancelRunDto, required: false })
  @ApiResponse({ status: 202, type: CancelAnswerDto, description: 'The request is durable.' })
  @ApiResponse({ status: 200, type: CancelAnswerDto, description: 'The run is cancelled.' })
  async cancel(
    @CallerNamespace() namespace: string,
    @Param('runId', RunIdPipe) runId: string,
    @Query() _query: NoQuery,
    @Body() { reason = 'cancelled over HTTP' }: CancelRunDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CancelAnswerDto> {
    const outcome = await this.namespaces.get(namespace).client.cancel(runId, reason);
    if (outcome === 'missing') throw new RunNotFound(runId);
    if (outcome === 'closed')
      throw new HttpProblem({ status: 409, code: 'run_closed', detail: `run ${runId} has ended`, members: { runId } });
    reply.status(outcome === 'cancelled' ? 200 : 202);
    return { runId, outcome };
  }

  /** The run as a Mermaid flowchart, coloured by state: its graph, or the row of its steps so far. */
  @Get(':runId/graph')
  @Header('content-type', 'text/plain; charset=utf-8')
  @Route('read', { ...invalid, 404: 'There is no such run, or nothing to draw yet (`no_graph`).' })
  @ApiOperation({ operationId: 'drawRun', summary: 'Draw a run' })
  @ApiParam(runIdParam)
  @ApiResponse({ status: 200, description: 'Mermaid.', content: { 'text/plain': { schema: { type: 'string' } } } })
  async graph(@CallerNamespace() namespace: string, @Param('runId', RunIdPipe) runId: string, @Query() _query: NoQuery): Promise<string> {
    const { client, storage } = this.namespaces.get(namespace);
    const drawing = await drawRun(storage, this.codec, await client.get(runId));
    if (drawing === null)
      throw new HttpProblem({ status: 404, code: 'no_graph', detail: `run ${runId} has begun no step yet`, members: { runId } });
    return drawing;
  }
}

function listQueryOf({ workflow, status, from, to, limit, cursor }: ListRunsQuery) {
  return {
    limit: Number(limit ?? DEFAULT_PAGE),
    ...(workflow === undefined ? {} : { workflow }),
    ...(status === undefined ? {} : { status }),
    ...(from === undefined ? {} : { from: Date.parse(from) }),
    ...(to === undefined ? {} : { to: Date.parse(to) }),
    ...(cursor === undefined ? {} : { cursor }),
  };
}

/** The store is the one who knows its cursors; to HTTP a bad one is a bad query. */
function refuseBadCursor(error: unknown): never {
  throw error instanceof InvalidInput ? invalidRequest('query', error.details.problems) : error;
}
