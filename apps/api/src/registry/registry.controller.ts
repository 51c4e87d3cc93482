import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { WorkerAnnouncement } from '@millrace/durable';
import { CallerNamespace } from '../auth/caller.js';
import { Route } from '../http/route.js';
import { Namespaces } from '../namespaces/namespaces.js';
import { NoQuery } from '../runs/queries.dto.js';
import { CountListDto, type WorkerDto, WorkerListDto, WorkflowListDto } from './announcements.dto.js';

const invalid = { 400: 'These routes take no query.' } as const;

@ApiTags('registry')
@Controller('v1')
export class RegistryController {
  constructor(private readonly namespaces: Namespaces) {}

  /** Every workflow ever announced, by name and newest version first. */
  @Get('workflows')
  @Route('read', invalid)
  @ApiOperation({ operationId: 'listWorkflows', summary: 'List workflows' })
  @ApiResponse({ status: 200, type: WorkflowListDto, description: 'The workflows.' })
  async workflows(@CallerNamespace() namespace: string, @Query() _query: NoQuery): Promise<WorkflowListDto> {
    const workflows = await this.namespaces.get(namespace).storage.registry.workflows();
    return {
      workflows: workflows.sort((a, b) => compareText(a.workflow, b.workflow) || b.version - a.version || compareText(a.queue, b.queue)),
    };
  }

  /** Workers that are alive, and those that ended and were not forgotten yet. */
  @Get('workers')
  @Route('read', invalid)
  @ApiOperation({ operationId: 'listWorkers', summary: 'List workers' })
  @ApiResponse({ status: 200, type: WorkerListDto, description: 'The workers.' })
  async workers(@CallerNamespace() namespace: string, @Query() _query: NoQuery): Promise<WorkerListDto> {
    const { registry, runs } = this.namespaces.get(namespace).storage;
    const [workers, now] = await Promise.all([registry.workers(), runs.now()]);
    return { workers: workers.map((worker) => workerView(worker, now)).sort((a, b) => compareText(a.incarnation, b.incarnation)) };
  }

  /** Exact numbers of runs by workflow and status. */
  @Get('counts')
  @Route('read', invalid)
  @ApiOperation({ operationId: 'countRuns', summary: 'Count runs' })
  @ApiResponse({ status: 200, type: CountListDto, description: 'The numbers.' })
  async counts(@CallerNamespace() namespace: string, @Query() _query: NoQuery): Promise<CountListDto> {
    return { counts: await this.namespaces.get(namespace).storage.inspector.counts() };
  }
}

function workerView(worker: WorkerAnnouncement & { readonly expiresAt: number }, now: number): WorkerDto {
  const { incarnation, name, host, pid, startedAt, expiresAt, concurrency, lanes, tasks, goodbye } = worker;
  const ended = goodbye ? 'gone' : 'lost';
  return {
    incarnation,
    name,
    host,
    pid,
    state: goodbye || expiresAt <= now ? ended : 'live',
    startedAt: new Date(startedAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
    concurrency,
    lanes: [...lanes],
    tasks: [...tasks],
  };
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
