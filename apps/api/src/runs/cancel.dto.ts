import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsString, MaxLength } from 'class-validator';
import { Optional } from '../http/dto.js';

/** A request to cancel a run. The body may be left out. */
export class CancelRunDto {
  @ApiPropertyOptional({ type: String, maxLength: 500, description: 'For people; kept in the record.' })
  @Optional()
  @IsString()
  @MaxLength(500)
  reason?: string;
}

/** What became of the request. */
export class CancelAnswerDto {
  @ApiProperty({ type: String })
  runId!: string;

  @ApiProperty({
    type: String,
    enum: ['cancelling', 'cancelled'],
    description: '`cancelling`: no step starts any more; the run is cancelled once its running steps have ended.',
  })
  outcome!: 'cancelling' | 'cancelled';
}
