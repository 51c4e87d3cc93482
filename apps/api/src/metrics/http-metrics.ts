import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Inspector } from '@millrace/durable';

/** The metrics of this process, in a registry of their own. */
export class HttpMetrics {
  readonly contentType: string;
  private readonly registry = new Registry();
  private readonly durations: Histogram<'method' | 'route' | 'status'>;

  constructor() {
    this.contentType = this.registry.contentType;
    collectDefaultMetrics({ register: this.registry });
    this.durations = new Histogram({
      name: 'millrace_http_request_duration_seconds',
      help: 'Time from a request to the end of its answer, by route pattern.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
      registers: [this.registry],
    });
  }

  /** @param route the pattern, never the path: every run id would be a series of its own */
  observe(method: string, route: string, status: number, seconds: number): void {
    this.durations.observe({ method, route, status }, seconds);
  }

  /** Metrics of the process, and the runs of one namespace; without counts the store did not answer. */
  async text(counts: Awaited<ReturnType<Inspector['counts']>> | null): Promise<string> {
    return `${await this.registry.metrics()}\n${await runMetrics(counts)}`;
  }
}

/** A registry a call: what one namespace has must not be seen by a reader of another. */
async function runMetrics(counts: Awaited<ReturnType<Inspector['counts']>> | null): Promise<string> {
  const registry = new Registry();
  const registers = [registry];
  const up = new Gauge({ name: 'millrace_store_up', help: '1 when the store answered this scrape.', registers });
  const runs = new Gauge({
    name: 'millrace_runs',
    help: 'Runs by workflow and status; active is queued or running.',
    labelNames: ['workflow', 'status'],
    registers,
  });
  up.set(counts === null ? 0 : 1);
  for (const { workflow, status, count } of counts ?? []) runs.set({ workflow, status }, count);
  return registry.metrics();
}
