import type { FastifyReply, FastifyRequest } from 'fastify';
import { HttpProblem } from './problem.js';

/** Bounds of what is worked on at once. */
export interface InFlightLimits {
  readonly maxInFlight: number;
  readonly maxWaiting: number;
}

/** Requests that count against no bound: probes must answer when nothing else does. */
const PROBES = '/health/';

/**
 * Bounds the requests that are under way, so that a store that hangs fills no memory. Those that wait on purpose (long polls,
 * event streams) have a bound of their own and take no room from the others.
 */
export class InFlight {
  private working = 0;
  private waiting = 0;

  constructor(private readonly limits: InFlightLimits) {}

  /** Counts a request until its connection is done with it. @throws HttpProblem 503 when there is no room */
  enter(request: FastifyRequest, reply: FastifyReply): void {
    if (request.url.startsWith(PROBES)) return;
    const isWaiting = this.isWaiting(request);
    const [count, limit] = isWaiting ? [this.waiting, this.limits.maxWaiting] : [this.working, this.limits.maxInFlight];
    if (count >= limit) throw overloaded();
    this.add(isWaiting, 1);
    reply.raw.once('close', () => this.add(isWaiting, -1));
  }

  private add(isWaiting: boolean, by: 1 | -1): void {
    if (isWaiting) this.waiting += by;
    else this.working += by;
  }

  private isWaiting(request: FastifyRequest): boolean {
    const query = request.query as Readonly<Record<string, unknown>>;
    return query['wait'] !== undefined || request.routeOptions.url?.endsWith('/events') === true;
  }
}

function overloaded(): HttpProblem {
  const detail = 'the service works on as many requests as it may; try again';
  return new HttpProblem({ status: 503, code: 'overloaded', detail, headers: { 'retry-after': '1' } });
}
