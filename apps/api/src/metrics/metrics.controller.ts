import { Controller, Get, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { type Inspector, StoreUnavailable } from '@millrace/durable';
import type { FastifyReply } from 'fastify';
import { CallerNamespace } from '../auth/caller.js';
import { Route } from '../http/route.js';
import { Namespaces } from '../namespaces/namespaces.js';
import { HttpMetrics } from './http-metrics.js';

@ApiTags('health')
@Controller('metrics')
export class MetricsController {
  constructor(
    private readonly namespaces: Namespaces,
    private readonly metrics: HttpMetrics,
  ) {}

  /** Metrics of the process, and numbers of the runs of the caller's namespace. Also while the store is away. */
  @Get()
  @Route('read')
  @ApiOperation({ operationId: 'readMetrics', summary: 'Metrics in the text format of Prometheus' })
  @ApiResponse({ status: 200, description: 'Metrics.', content: { 'text/plain': { schema: { type: 'string' } } } })
  async read(@CallerNamespace() namespace: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    const text = await this.metrics.text(await this.counts(namespace));
    reply.header('content-type', this.metrics.contentType);
    return text;
  }

  private async counts(namespace: string): Promise<Awaited<ReturnType<Inspector['counts']>> | null> {
    try {
      return await this.namespaces.get(namespace).storage.inspector.counts();
    } catch (error) {
      if (error instanceof StoreUnavailable) return null;
      throw error;
    }
  }
}
