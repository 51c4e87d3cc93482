import { applyDecorators } from '@nestjs/common';
import { ApiBearerAuth, ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import type { Scope } from '../config/api-token.js';
import { RequireScope } from '../auth/scope.decorator.js';
import { ProblemDto } from './problem.dto.js';

/** What every guarded route may answer beside its own. */
const COMMON: Readonly<Record<number, string>> = {
  401: 'No token, or one that is not known.',
  403: 'The token lacks the scope.',
  429: 'More requests than the rate limit allows; only when one is set.',
  500: 'A fault of the service.',
  503: 'The store does not answer, or the service has no room; `Retry-After` says when to try again. A write may have been applied.',
};

/** A guarded route: which scope it takes, and every problem that it may answer, by status. */
export function Route(scope: Scope, problems: Readonly<Record<number, string>> = {}): MethodDecorator {
  return applyDecorators(RequireScope(scope), ApiBearerAuth('token'), ApiProblems({ ...COMMON, ...problems }));
}

/** Describes problem documents by status. */
export function ApiProblems(problems: Readonly<Record<number, string>>): MethodDecorator {
  const content = { 'application/problem+json': { schema: { $ref: getSchemaPath(ProblemDto) } } };
  const responses = Object.entries(problems).map(([status, description]) => ApiResponse({ status: Number(status), description, content }));
  return applyDecorators(ApiExtraModels(ProblemDto), ...responses);
}
