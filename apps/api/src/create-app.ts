import rateLimit from '@fastify/rate-limit';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ApiDeps } from './api-deps.js';
import { AppModule } from './app.module.js';
import { TokenDirectory } from './auth/token-directory.js';
import type { ApiConfig } from './config/config.js';
import { AllowedMethods } from './http/allowed-methods.js';
import { InFlight } from './http/in-flight.js';
import { parseJsonBody } from './http/json-body.js';
import { HttpProblem } from './http/problem.js';
import { ProblemFilter } from './http/problem.filter.js';
import { securityHeaders } from './http/security-headers.js';
import { Stopping } from './http/stopping.js';
import { type Logger, nestLogger } from './logging/logger.js';
import metadata from './metadata.js';
import { HttpMetrics } from './metrics/http-metrics.js';
import { Namespaces } from './namespaces/namespaces.js';
import { OpenApiDocument } from './openapi/openapi-document.js';

/** An identifier of 200 characters, every one percent-encoded. */
const LONGEST_PATH_PART = 600;

/** A request that takes longer to arrive is given up; how long its answer takes is another matter. */
const REQUEST_TIMEOUT_MS = 60_000;

/** An API that can be asked, by `app.inject` or once it listens. */
export interface ApiApp {
  readonly app: NestFastifyApplication;
  /** Every route of the server, as `GET /v1/runs/:runId`. */
  readonly routes: () => readonly string[];
}

/** Builds the API and begins to open its stores. It listens on nothing yet. */
export async function createApp(deps: ApiDeps): Promise<ApiApp> {
  const { config, logger, random } = deps;
  const filter = new ProblemFilter(config, logger);
  const adapter = new FastifyAdapter({
    bodyLimit: config.bodyLimitBytes,
    routerOptions: { maxParamLength: LONGEST_PATH_PART },
    genReqId: () => random.bits64(),
    return503OnClosing: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => filter.answer(error, request, reply),
  });
  const fastify = adapter.getInstance<FastifyInstance>();
  const methods = new AllowedMethods();
  fastify.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) if (each !== 'HEAD') methods.add(each, url);
  });
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.forRoot(deps), adapter, {
    bodyParser: false,
    logger: nestLogger(logger),
    abortOnError: false,
  });
  parseOnlyJson(fastify);
  await secure(fastify);
  await limitRate(app, config);
  bound(fastify, config, app.get(Stopping));
  observe(fastify, app.get(HttpMetrics), logger);
  refuseWrongMethods(fastify, methods);
  await app.get(OpenApiDocument).describe(app, metadata);
  await app.init();
  await fastify.ready();
  void app.get(Namespaces).start();
  return { app, routes: () => methods.list() };
}

/** One parser for one type: what is not JSON is 415, also the text that Fastify would take by itself. */
function parseOnlyJson(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, parseJsonBody(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
}

async function secure(fastify: FastifyInstance): Promise<void> {
  const headers = await securityHeaders();
  fastify.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers);
    done();
  });
}

async function limitRate(app: NestFastifyApplication, { rateLimitPerMinute, tokens }: ApiConfig): Promise<void> {
  if (rateLimitPerMinute === 0) return;
  const directory = new TokenDirectory(tokens);
  await app.register(rateLimit, {
    max: rateLimitPerMinute,
    timeWindow: 60_000,
    allowList: (request) => request.url.startsWith('/health/'),
    keyGenerator: (request) => directory.find(request.headers.authorization)?.name ?? request.ip,
  });
}

function bound(fastify: FastifyInstance, config: ApiConfig, stopping: Stopping): void {
  const inFlight = new InFlight(config);
  fastify.addHook('onRequest', (request, reply, done) => {
    if (stopping.signal.aborted && !request.url.startsWith('/health/')) {
      const detail = 'the service stops; try another one';
      done(new HttpProblem({ status: 503, code: 'stopping', detail, headers: { 'retry-after': '1', connection: 'close' } }));
      return;
    }
    try {
      inFlight.enter(request, reply);
      done();
    } catch (error) {
      done(error as Error);
    }
  });
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    // A connection that is kept alive would hold up the stop.
    if (stopping.signal.aborted) reply.header('connection', 'close');
    done(null, payload);
  });
}

function observe(fastify: FastifyInstance, metrics: HttpMetrics, logger: Logger): void {
  fastify.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unmatched';
    const { method } = request;
    const durationMs = Math.round(reply.elapsedTime * 10) / 10;
    metrics.observe(method, route, reply.statusCode, reply.elapsedTime / 1_000);
    logger.info({ requestId: request.id, method, route, status: reply.statusCode, durationMs }, 'request');
    done();
  });
}

function refuseWrongMethods(fastify: FastifyInstance, methods: AllowedMethods): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    const allowed = request.is404 ? methods.of(request.url.split('?')[0] ?? '') : [];
    if (allowed.length === 0) {
      done();
      return;
    }
    const detail = `${request.method} is not for this path; ${allowed.join(', ')} is`;
    done(new HttpProblem({ status: 405, code: 'method_not_allowed', detail, headers: { allow: allowed.join(', ') } }));
  });
}
