import { HttpConnection, type HttpRequest } from './http-connection.js';
import { percentile } from './percentile.js';

/** What the load generator is told, as JSON in its first argument. */
export interface HttpLoad {
  /** `http://host:port`. */
  readonly url: string;
  /** Sent again and again. */
  readonly request: HttpRequest;
  /** Status of every answer. */
  readonly expected: number;
  /** Keep-alive connections, each with one request in flight. */
  readonly connections: number;
  /** Sent before the clock starts, so that the server's code is compiled. */
  readonly warmUp: number;
  readonly requests: number;
}

/** What it prints, as one line of JSON. */
export interface HttpLoadResult {
  readonly wallMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** A process of its own: it must not share the event loop of what starts servers and reads counters. */
async function main(load: HttpLoad): Promise<HttpLoadResult> {
  const connections = await Promise.all(Array.from({ length: load.connections }, () => HttpConnection.open(load.url)));
  await drive(connections, load, load.warmUp);
  process.stdout.write('warm\n');
  const startedAt = performance.now();
  const latencies = await drive(connections, load, load.requests);
  const wallMs = performance.now() - startedAt;
  for (const connection of connections) connection.close();
  return { wallMs, p50Ms: percentile(latencies, 50), p99Ms: percentile(latencies, 99) };
}

/** Answers the time of each request, ms. */
async function drive(connections: readonly HttpConnection[], { request, expected }: HttpLoad, requests: number): Promise<number[]> {
  const latencies: number[] = [];
  let left = requests;
  await Promise.all(
    connections.map(async (connection) => {
      const bytes = connection.encode(request);
      while (left > 0) {
        left -= 1;
        const sentAt = performance.now();
        const { status, body } = await connection.send(bytes);
        latencies.push(performance.now() - sentAt);
        if (status !== expected) throw new Error(`answered ${status}: ${body.toString('utf8', 0, 300)}`);
      }
    }),
  );
  return latencies;
}

const result = await main(JSON.parse(process.argv[2] ?? '{}') as HttpLoad);
process.stdout.write(`${JSON.stringify(result)}\n`);
