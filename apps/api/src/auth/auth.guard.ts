import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { type Scope, scopes } from '../config/api-token.js';
import { isLoopback } from '../config/config.js';
import { HttpProblem } from '../http/problem.js';
import { type Caller, setCaller } from './caller.js';
import { SCOPE } from './scope.decorator.js';
import { TokenDirectory } from './token-directory.js';

/** Lets a request to its handler when its token has the scope that the handler takes. */
@Injectable()
export class AuthGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly tokens: TokenDirectory,
    private readonly openNamespace: string,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const wanted = this.reflector.getAllAndOverride<Scope | 'public' | undefined>(SCOPE, [context.getHandler(), context.getClass()]);
    if (wanted === undefined) throw new Error('a route names no scope');
    if (wanted === 'public') return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const caller = this.tokens.isEmpty ? this.callerWithoutTokens(request) : this.callerOfToken(request);
    if (!caller.scopes.includes(wanted) && !caller.scopes.includes('admin')) throw forbidden(`this takes a token with the scope ${wanted}`);
    setCaller(request, caller);
    return true;
  }

  private callerOfToken(request: FastifyRequest): Caller {
    const token = this.tokens.find(request.headers.authorization);
    if (token === null) throw unauthorized();
    return { tokenName: token.name, namespace: token.namespace, scopes: token.scopes };
  }

  /** Loopback is reached by every web page that a browser of this machine shows, under a name of the page's choice. */
  private callerWithoutTokens(request: FastifyRequest): Caller {
    if (!isLoopback(request.hostname.replace(/^\[(.*)\]$/, '$1')))
      throw forbidden('without tokens the service answers to a loopback name only');
    return { tokenName: null, namespace: this.openNamespace, scopes };
  }
}

function unauthorized(): HttpProblem {
  const detail = 'this takes a token: Authorization: Bearer <token>';
  return new HttpProblem({ status: 401, code: 'unauthorized', detail, headers: { 'www-authenticate': 'Bearer realm="millrace"' } });
}

function forbidden(detail: string): HttpProblem {
  return new HttpProblem({ status: 403, code: 'forbidden', detail });
}
