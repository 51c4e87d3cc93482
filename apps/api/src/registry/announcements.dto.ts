import { ApiProperty } from '@nestjs/swagger';

/** A workflow that a worker announced. */
export class WorkflowDto {
  @ApiProperty({ type: String })
  workflow!: string;

  @ApiProperty({ type: 'integer', minimum: 1 })
  version!: number;

  @ApiProperty({ type: String })
  queue!: string;

  @ApiProperty({ type: String, description: 'Digest of the definition.' })
  definitionHash!: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'JSON Schema 2020-12 of the input; null accepts anything.',
  })
  inputSchema!: unknown;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'The graph that every run executes; null for a body of code.',
  })
  graph!: unknown;
}

export class WorkflowListDto {
  @ApiProperty({ type: [WorkflowDto] })
  workflows!: WorkflowDto[];
}

/** A lane that a worker serves. */
export class LaneDto {
  @ApiProperty({ type: String })
  queue!: string;

  @ApiProperty({ type: String })
  workflow!: string;

  @ApiProperty({ type: 'integer', minimum: 1 })
  version!: number;
}

/** A task that a worker serves. */
export class ServedTaskDto {
  @ApiProperty({ type: String })
  queue!: string;

  @ApiProperty({ type: String })
  task!: string;
}

/** One start of a worker, as it announced itself. */
export class WorkerDto {
  @ApiProperty({ type: String, description: 'Names this start of the worker.' })
  incarnation!: string;

  @ApiProperty({ type: String })
  name!: string;

  @ApiProperty({ type: String })
  host!: string;

  @ApiProperty({ type: 'integer' })
  pid!: number;

  @ApiProperty({ type: String, enum: ['live', 'gone', 'lost'], description: '`gone`: it said goodbye. `lost`: its announcement lapsed.' })
  state!: 'live' | 'gone' | 'lost';

  @ApiProperty({ type: String, format: 'date-time' })
  startedAt!: string;

  @ApiProperty({ type: String, format: 'date-time', description: 'When its announcement lapses unless it is renewed.' })
  expiresAt!: string;

  @ApiProperty({ type: 'integer', description: 'User functions that it runs at once.' })
  concurrency!: number;

  @ApiProperty({ type: [LaneDto] })
  lanes!: LaneDto[];

  @ApiProperty({ type: [ServedTaskDto] })
  tasks!: ServedTaskDto[];
}

export class WorkerListDto {
  @ApiProperty({ type: [WorkerDto] })
  workers!: WorkerDto[];
}

/** How many runs of a workflow are in a status. */
export class CountDto {
  @ApiProperty({ type: String })
  workflow!: string;

  @ApiProperty({
    type: String,
    enum: ['active', 'waiting', 'completed', 'failed', 'cancelled', 'set-aside'],
    description: '`active`: queued or running.',
  })
  status!: string;

  @ApiProperty({ type: 'integer', minimum: 0 })
  count!: number;
}

export class CountListDto {
  @ApiProperty({ type: [CountDto] })
  counts!: CountDto[];
}
