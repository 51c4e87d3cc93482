import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** One fault of an input. */
export class FaultDto {
  @ApiProperty({ type: String, description: 'Where it is.', examples: ['workflow', '$.lines[3].price', 'nodes[2].after[0]'] })
  path!: string;

  @ApiProperty({ type: String, description: 'What is wrong with it, as the end of a sentence that begins with the path.' })
  message!: string;
}

/** A problem document (RFC 9457), sent as `application/problem+json`. */
export class ProblemDto {
  @ApiProperty({ type: String, description: '`urn:millrace:problem:` and the code.' })
  type!: string;

  @ApiProperty({ type: String, description: 'The phrase of the status.' })
  title!: string;

  @ApiProperty({ type: 'integer', description: 'The HTTP status.' })
  status!: number;

  @ApiProperty({
    type: String,
    description: 'Stable; tell problems apart by it.',
    examples: ['invalid_request', 'unknown_workflow', 'idempotency_conflict'],
  })
  code!: string;

  @ApiProperty({ type: String, description: 'What happened, for people.' })
  detail!: string;

  @ApiPropertyOptional({ type: String, description: 'Names the request in the log of the service.' })
  requestId?: string;

  @ApiPropertyOptional({ type: String, description: 'The run that the problem is about.' })
  runId?: string;

  @ApiPropertyOptional({ type: [FaultDto], description: 'Every fault of the input, at most 50.' })
  problems?: FaultDto[];

  @ApiPropertyOptional({ type: [String], description: 'Names that are near to one that is not known.' })
  near?: string[];
}
