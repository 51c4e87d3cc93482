import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Scope } from '../config/api-token.js';

/** Who calls: what the token stands for. */
export interface Caller {
  /** Name of the token; null without tokens. */
  readonly tokenName: string | null;
  readonly namespace: string;
  readonly scopes: readonly Scope[];
}

const callers = new WeakMap<FastifyRequest, Caller>();

export function setCaller(request: FastifyRequest, caller: Caller): void {
  callers.set(request, caller);
}

/** The namespace that the caller works in. */
export const CallerNamespace = createParamDecorator((_data: unknown, context: ExecutionContext): string => {
  const caller = callers.get(context.switchToHttp().getRequest<FastifyRequest>());
  if (caller === undefined) throw new Error('a handler that needs a caller has no guard before it');
  return caller.namespace;
});
