import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../logging/logger.js';
import { problemOfError } from './problem-of-error.js';

/** Answers everything that is thrown while a request is handled as a problem document. What nobody foresaw is logged. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(
    private readonly limits: Readonly<{ bodyLimitBytes: number }>,
    private readonly logger: Pick<Logger, 'error'>,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.answer(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  /** The same for what is refused before a handler is found. */
  answer(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const { status, document, headers } = problemOfError(error, this.limits);
    if (status === 500) this.logger.error({ err: error, requestId: request.id, route: request.routeOptions?.url }, 'a request failed');
    // Headers are out: an answer that broke off half-way can only be cut.
    if (reply.sent || reply.raw.headersSent) {
      reply.raw.destroy();
      return;
    }
    void reply
      .status(status)
      .headers(headers)
      .header('content-type', 'application/problem+json; charset=utf-8')
      .send(JSON.stringify({ ...document, requestId: request.id }));
  }
}
