import { type DynamicModule, Module, type OnApplicationShutdown } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE, Reflector } from '@nestjs/core';
import { logEvents } from '@millrace/durable';
import { API_CONFIG, type ApiDeps, CLOCK, PAYLOAD_READER } from './api-deps.js';
import { AuthGuard } from './auth/auth.guard.js';
import { TokenDirectory } from './auth/token-directory.js';
import { servedNamespaces } from './config/config.js';
import { HealthController } from './health/health.controller.js';
import { Readiness } from './health/readiness.js';
import { DtoPipe } from './http/dto.pipe.js';
import { ProblemFilter } from './http/problem.filter.js';
import { Stopping } from './http/stopping.js';
import { HttpMetrics } from './metrics/http-metrics.js';
import { MetricsController } from './metrics/metrics.controller.js';
import { Namespaces } from './namespaces/namespaces.js';
import { OpenApiController } from './openapi/openapi.controller.js';
import { OpenApiDocument } from './openapi/openapi-document.js';
import { RegistryController } from './registry/registry.controller.js';
import { EventsController } from './runs/events/events.controller.js';
import { RunsController } from './runs/runs.controller.js';
import { SubmissionsController } from './runs/submissions.controller.js';
import { InputValidator } from './validation/input-validator.js';

/** The HTTP API on what it is given: no provider reaches for the environment, the clock or a store by itself. */
@Module({})
export class AppModule implements OnApplicationShutdown {
  constructor(private readonly namespaces: Namespaces) {}

  static forRoot(deps: ApiDeps): DynamicModule {
    const { config, codec, clock, logger } = deps;
    return {
      module: AppModule,
      controllers: [
        SubmissionsController,
        EventsController,
        RunsController,
        RegistryController,
        HealthController,
        MetricsController,
        OpenApiController,
      ],
      providers: [
        { provide: API_CONFIG, useValue: config },
        { provide: PAYLOAD_READER, useValue: codec },
        { provide: CLOCK, useValue: clock },
        { provide: Namespaces, useValue: namespacesOf(deps) },
        { provide: Readiness, useFactory: (namespaces: Namespaces) => new Readiness(namespaces, clock), inject: [Namespaces] },
        { provide: TokenDirectory, useValue: new TokenDirectory(config.tokens) },
        { provide: APP_FILTER, useValue: new ProblemFilter(config, logger) },
        { provide: APP_PIPE, useValue: new DtoPipe() },
        {
          provide: APP_GUARD,
          useFactory: (reflector: Reflector, tokens: TokenDirectory) => new AuthGuard(reflector, tokens, config.namespace),
          inject: [Reflector, TokenDirectory],
        },
        Stopping,
        HttpMetrics,
        OpenApiDocument,
      ],
    };
  }

  /** After the server is closed: nobody asks for a store any more. */
  async onApplicationShutdown(): Promise<void> {
    await this.namespaces.close();
  }
}

function namespacesOf({ config, openStorage, codec, clock, random, logger, onFatal }: ApiDeps): Namespaces {
  const validator = new InputValidator();
  return new Namespaces({
    names: servedNamespaces(config),
    openStorage,
    codec,
    clock,
    random,
    emit: logEvents(logger),
    validateInput: validator.validate,
    onFatal,
  });
}
