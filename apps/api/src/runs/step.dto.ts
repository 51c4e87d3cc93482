import { ApiProperty } from '@nestjs/swagger';
import { ErrorDto } from './run.dto.js';

const instant = { type: String, format: 'date-time', nullable: true } as const;

/** An attempt of a step that did not confirm it. At most ten are kept: the first three and the last seven. */
export class PastAttemptDto {
  @ApiProperty({ type: 'integer', minimum: 1 })
  attempt!: number;

  @ApiProperty({ type: String, enum: ['failed', 'interrupted', 'worker-lost'] })
  outcome!: 'failed' | 'interrupted' | 'worker-lost';

  @ApiProperty({ type: String, format: 'date-time' })
  startedAt!: string;

  @ApiProperty({ type: String, format: 'date-time' })
  endedAt!: string;

  @ApiProperty({ type: String, nullable: true, description: 'What the service has to say beside the error.' })
  note!: string | null;

  @ApiProperty({ type: ErrorDto, nullable: true })
  error!: ErrorDto | null;
}

/** One entry of a run's journal: a step or a sleep. */
export class StepDto {
  @ApiProperty({ type: 'integer', description: 'Journal number: the order in which they were begun.' })
  number!: number;

  @ApiProperty({ type: String, enum: ['step', 'sleep', 'unreadable'] })
  kind!: 'step' | 'sleep' | 'unreadable';

  @ApiProperty({ type: String, nullable: true })
  name!: string | null;

  @ApiProperty({ type: String, nullable: true, description: "The author's own identity of the step." })
  key!: string | null;

  @ApiProperty({ type: String, nullable: true, enum: ['open', 'retrying', 'completed', 'failed', 'abandoned', 'pending', 'done'] })
  state!: string | null;

  @ApiProperty({ type: 'integer', description: 'Attempts used, crashes included.' })
  attempts!: number;

  @ApiProperty({ type: 'integer', description: 'Attempts that a graceful stop interrupted and gave back.' })
  interruptions!: number;

  @ApiProperty({ ...instant, description: 'Of a step: when its last attempt was opened.' })
  startedAt!: string | null;

  @ApiProperty({ ...instant, description: 'Null while it goes on.' })
  endedAt!: string | null;

  @ApiProperty({ ...instant, description: 'Retrying or sleeping: until when.' })
  dueAt!: string | null;

  @ApiProperty({ description: 'What the step returned; null until it completed.' })
  result!: unknown;

  @ApiProperty({ type: ErrorDto, nullable: true })
  error!: ErrorDto | null;

  @ApiProperty({ type: [PastAttemptDto] })
  pastAttempts!: PastAttemptDto[];

  @ApiProperty({ type: String, nullable: true, description: 'Why a part of the entry cannot be read.' })
  broken!: string | null;
}

/** A page of steps, in the order in which they were begun. */
export class StepPageDto {
  @ApiProperty({ type: [StepDto] })
  steps!: StepDto[];

  @ApiProperty({ type: String, nullable: true, description: 'Of the next page; null after the last.' })
  cursor!: string | null;
}
