import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiResponse, ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../auth/scope.decorator.js';
import { HttpProblem } from '../http/problem.js';
import { ApiProblems } from '../http/route.js';
import { Stopping } from '../http/stopping.js';
import { Readiness } from './readiness.js';

export class HealthDto {
  @ApiProperty({ type: String, enum: ['live', 'ready'] })
  status!: 'live' | 'ready';
}

/** For probes: no token, no bound, no query that is looked at. */
@ApiTags('health')
@RequireScope('public')
@Controller('health')
export class HealthController {
  constructor(
    private readonly readiness: Readiness,
    private readonly stopping: Stopping,
  ) {}

  /** The process answers. It says nothing of the store: restarting the process would not mend that. */
  @Get('live')
  @ApiOperation({ operationId: 'isLive', summary: 'Is the process alive?' })
  @ApiResponse({ status: 200, type: HealthDto, description: 'Yes.' })
  live(): HealthDto {
    return { status: 'live' };
  }

  /** A write works in the store of every namespace, within 2 s. */
  @Get('ready')
  @ApiOperation({ operationId: 'isReady', summary: 'Does a write work?' })
  @ApiResponse({ status: 200, type: HealthDto, description: 'Yes.' })
  @ApiProblems({ 503: '`not_ready`: it does not, or the service stops.' })
  async ready(): Promise<HealthDto> {
    if (!this.stopping.signal.aborted && (await this.readiness.isReady())) return { status: 'ready' };
    throw new HttpProblem({ status: 503, code: 'not_ready', detail: 'a write does not work now', headers: { 'retry-after': '1' } });
  }
}
