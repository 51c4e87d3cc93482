import { runStatuses, type RunStatus } from '@millrace/durable';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsString, MaxLength } from 'class-validator';
import { IsDurationText, IsIdentifier, IsInstantText, IsWholeNumberText, Optional } from '../http/dto.js';

/** Longest long poll. */
export const MAX_WAIT_MS = 60_000;
/** Most rows of a page. */
export const MAX_PAGE = 200;
/** Rows of a page when nothing is said. */
export const DEFAULT_PAGE = 50;

const limit = { type: 'integer', minimum: 1, maximum: MAX_PAGE, default: DEFAULT_PAGE } as const;

/** A route that takes no query refuses one. */
export class NoQuery {}

/** Query of a single run. */
export class RunQuery {
  @ApiPropertyOptional({
    type: String,
    description: 'Answer when the run is terminal, or when this time is up: at most 60s.',
    examples: ['30s'],
  })
  @Optional()
  @IsDurationText(MAX_WAIT_MS, '60s')
  wait?: string;
}

/** Query of a page of steps. */
export class StepsQuery {
  @ApiPropertyOptional(limit)
  @Optional()
  @IsWholeNumberText(1, MAX_PAGE)
  limit?: string;

  @ApiPropertyOptional({ type: String, description: 'As the page before answered it.' })
  @Optional()
  @IsWholeNumberText(0, 999_999_999)
  cursor?: string;
}

/** Query of a page of runs. */
export class ListRunsQuery {
  @ApiPropertyOptional({ type: String })
  @Optional()
  @IsIdentifier()
  workflow?: string;

  @ApiPropertyOptional({ type: String, enum: runStatuses })
  @Optional()
  @IsIn(runStatuses)
  status?: RunStatus;

  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'Submitted at this instant or later.' })
  @Optional()
  @IsInstantText()
  from?: string;

  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'Submitted before this instant.' })
  @Optional()
  @IsInstantText()
  to?: string;

  @ApiPropertyOptional(limit)
  @Optional()
  @IsWholeNumberText(1, MAX_PAGE)
  limit?: string;

  @ApiPropertyOptional({ type: String, description: 'As the page before answered it.' })
  @Optional()
  @IsString()
  @MaxLength(1_000)
  cursor?: string;
}
