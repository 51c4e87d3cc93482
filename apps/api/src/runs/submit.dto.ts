import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Allow, ArrayMaxSize, ArrayMinSize, IsArray, IsInt, Max, Min } from 'class-validator';
import { IsIdentifier, Optional } from '../http/dto.js';
import { RunRowDto } from './run.dto.js';
import { ProblemDto } from '../http/problem.dto.js';

/** Runs of one batch. */
export const MAX_BATCH = 1_000;

const identifier = { type: String, pattern: '^[A-Za-z0-9][A-Za-z0-9._:@~+=,-]{0,199}$' } as const;

/** A run to submit: exactly one of `workflow` and `graph`. */
export class SubmitRunDto {
  @ApiPropertyOptional({ ...identifier, description: 'Name of a workflow that a worker announced.' })
  @Optional()
  @IsIdentifier()
  workflow?: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, description: 'The newest announced one when left out. Not for graphs.' })
  @Optional()
  @IsInt({ message: 'must be a whole number' })
  @Min(1)
  @Max(999_999_999)
  version?: number;

  @ApiPropertyOptional({ ...identifier, description: 'The one that the workflow was announced on when left out; `default` for graphs.' })
  @Optional()
  @IsIdentifier()
  queue?: string;

  @ApiPropertyOptional({
    ...identifier,
    description: 'Your own id. It decides which run this is, also beside an idempotency key. Made when left out.',
  })
  @Optional()
  @IsIdentifier()
  runId?: string;

  @ApiPropertyOptional({ description: 'Any JSON that fits the schema of the workflow; null when left out.' })
  @Allow()
  input?: unknown;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: '`{ nodes: [{ id, task, input?, after?, attempts?, timeout?, backoff? }] }`, checked as a whole.',
  })
  @Allow()
  graph?: unknown;
}

/** An item of a batch. */
export class BatchItemDto extends SubmitRunDto {
  @ApiPropertyOptional({ ...identifier, description: 'As the header `Idempotency-Key` of a single submission.' })
  @Optional()
  @IsIdentifier()
  idempotencyKey?: string;
}

/** Many runs to submit. Each is judged alone. */
export class SubmitBatchDto {
  @ApiProperty({ type: [BatchItemDto], minItems: 1, maxItems: MAX_BATCH })
  @IsArray({ message: 'must be an array' })
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_BATCH)
  runs!: unknown[];
}

/** What became of an item of a batch. */
export class BatchAnswerDto {
  @ApiProperty({
    type: 'integer',
    description: 'The status that a single submission would have had: 202 made, 200 was there, else a problem.',
  })
  status!: number;

  @ApiPropertyOptional({ type: RunRowDto })
  run?: RunRowDto;

  @ApiPropertyOptional({ type: ProblemDto })
  problem?: ProblemDto;
}

/** An answer per item, in the order of the batch. */
export class BatchAnswersDto {
  @ApiProperty({ type: [BatchAnswerDto] })
  answers!: BatchAnswerDto[];
}
