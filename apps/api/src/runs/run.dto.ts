import { runStatuses, type RunStatus } from '@millrace/durable';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

const instant = { type: String, format: 'date-time' } as const;
const identifier = { type: String, pattern: '^[A-Za-z0-9][A-Za-z0-9._:@~+=,-]{0,199}$' } as const;

/** An error of user code or of the service, as it was stored: cut to 2 KiB. */
export class ErrorDto {
  @ApiProperty({ type: String })
  name!: string;

  @ApiProperty({ type: String })
  message!: string;

  @ApiPropertyOptional({ oneOf: [{ type: 'string' }, { type: 'number' }] })
  code?: string | number;

  @ApiPropertyOptional({ description: 'Plain data about the case.' })
  details?: unknown;

  @ApiPropertyOptional({ type: String })
  stack?: string;

  @ApiPropertyOptional({ type: () => ErrorDto })
  cause?: ErrorDto;
}

/** A run without its payloads, as lists show it. */
export class RunRowDto {
  @ApiProperty(identifier)
  runId!: string;

  @ApiProperty(identifier)
  workflow!: string;

  @ApiProperty({ type: 'integer', minimum: 1 })
  version!: number;

  @ApiProperty(identifier)
  queue!: string;

  @ApiProperty({ type: String, enum: runStatuses })
  status!: RunStatus;

  @ApiProperty({ type: Boolean, description: 'A cancel request is there and the run has not ended yet.' })
  cancelling!: boolean;

  @ApiProperty({ type: 'integer', description: 'Counts the commits of its owner.' })
  revision!: number;

  @ApiProperty(instant)
  createdAt!: string;

  @ApiProperty({ ...instant, nullable: true, description: 'When it was claimed first.' })
  startedAt!: string | null;

  @ApiProperty({ ...instant, nullable: true })
  endedAt!: string | null;

  @ApiProperty({ ...instant, nullable: true, description: 'When the earliest timer of a waiting run is due.' })
  wakeAt!: string | null;
}

/** A run that lists cannot show, and why. */
export class BrokenRunDto {
  @ApiProperty({ type: String })
  runId!: string;

  @ApiProperty({ type: String, description: 'Why its record cannot be read.' })
  broken!: string;
}

/** A run. Values that JSON has no word for are shown as objects with `$type` (see the README of the API). */
export class RunDto extends RunRowDto {
  @ApiProperty({ description: 'As it was submitted; of a graph run `{ graph, input }`.' })
  input!: unknown;

  @ApiProperty({ description: 'What the workflow returned; null until it completed.' })
  output!: unknown;

  @ApiProperty({ type: ErrorDto, nullable: true, description: 'Why it failed or was set aside.' })
  error!: ErrorDto | null;

  @ApiProperty({ type: String, nullable: true, description: 'Why a part of the record cannot be read; that part is null.' })
  broken!: string | null;
}

/** A page of runs, newest first. */
export class RunPageDto {
  @ApiProperty({
    type: 'array',
    items: { oneOf: [{ $ref: '#/components/schemas/RunRowDto' }, { $ref: '#/components/schemas/BrokenRunDto' }] },
  })
  runs!: Array<RunRowDto | BrokenRunDto>;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Of the next page; null after the last. A page may be short and still have one.',
  })
  cursor!: string | null;
}
