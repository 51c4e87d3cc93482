import type { SubmitRun } from '@millrace/durable';
import { invalidRequest } from '../http/problem.js';
import type { SubmitRunDto } from './submit.dto.js';

/** The submission that a checked body stands for. @throws HttpProblem 400 when it names both or neither of workflow and graph */
export function toSubmission(dto: SubmitRunDto, idempotencyKey: string | undefined): SubmitRun {
  const { workflow, version, queue, runId, input, graph } = dto;
  const common = { queue, runId, input, idempotencyKey };
  if (workflow !== undefined && graph === undefined) return { workflow, version, ...common };
  if (workflow !== undefined || graph === undefined)
    throw invalidRequest('body', [{ path: 'workflow', message: 'or graph must be there, and not both' }]);
  if (version !== undefined) throw invalidRequest('body', [{ path: 'version', message: 'is not for graphs' }]);
  return { graph, ...common };
}
