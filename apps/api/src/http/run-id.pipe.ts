import type { PipeTransform } from '@nestjs/common';
import { identifierFault } from '@millrace/durable';
import { invalidRequest } from './problem.js';

/** The run id of a path, after percent-decoding. @throws HttpProblem 400 */
export class RunIdPipe implements PipeTransform {
  transform(value: unknown): string {
    const fault = identifierFault(value);
    if (fault !== null) throw invalidRequest('path', [{ path: 'runId', message: fault }]);
    return value as string;
  }
}
