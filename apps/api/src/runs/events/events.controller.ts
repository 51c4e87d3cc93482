import { Readable } from 'node:stream';
import { Controller, Get, Headers, Inject, Param, Query, Res } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import { type Clock, isTerminal } from '@millrace/durable';
import type { FastifyReply } from 'fastify';
import { CLOCK } from '../../api-deps.js';
import { CallerNamespace } from '../../auth/caller.js';
import { Route } from '../../http/route.js';
import { RunIdPipe } from '../../http/run-id.pipe.js';
import { Stopping } from '../../http/stopping.js';
import { Namespaces } from '../../namespaces/namespaces.js';
import { untilLeft } from '../client-left.js';
import { NoQuery } from '../queries.dto.js';
import { parseEventId } from './event-id.js';
import { runEvents } from './run-events.js';

@ApiTags('runs')
@Controller('v1/runs')
export class EventsController {
  constructor(
    private readonly namespaces: Namespaces,
    private readonly stopping: Stopping,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * The events of a run (server-sent events), from its beginning or after `Last-Event-ID`: `status`, `steps` (one a commit; its id
   * is the revision), `end` and then the stream closes. Who has read the end already gets 204, which stops a browser's attempts.
   */
  @Get(':runId/events')
  @Route('read', { 400: 'A `Last-Event-ID` that is no id of such an event.', 404: 'There is no such run.' })
  @ApiOperation({ operationId: 'streamEvents', summary: 'Follow a run' })
  @ApiParam({ name: 'runId', type: String, description: 'Percent-encoded where need be.' })
  @ApiHeader({ name: 'Last-Event-ID', required: false, description: 'Id of the last event that was read.' })
  @ApiResponse({ status: 200, description: 'The stream.', content: { 'text/event-stream': { schema: { type: 'string' } } } })
  @ApiResponse({ status: 204, description: 'The end was read already.' })
  async stream(
    @CallerNamespace() name: string,
    @Param('runId', RunIdPipe) runId: string,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Query() _query: NoQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    // First of all: a client that leaves during what follows must not leave a subscription behind.
    const left = untilLeft(reply, this.stopping.signal);
    const after = lastEventId === undefined ? null : parseEventId(lastEventId);
    const namespace = this.namespaces.get(name);
    const run = await namespace.client.get(runId);
    if (after?.isEnd === true && after.revision === run.revision && isTerminal(run.status)) {
      left.release();
      await reply.status(204).send();
      return;
    }
    // The connection ends with the stream: kept alive it would hold up a stop.
    reply.headers({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      connection: 'close',
    });
    // To HEAD, Fastify would read the stream to its end and send nothing of it.
    const isHead = reply.request.method === 'HEAD';
    const events = Readable.from(isHead ? [] : runEvents({ namespace, clock: this.clock, run, after, signal: left.signal }));
    events.once('close', left.release);
    await reply.send(events);
  }
}
