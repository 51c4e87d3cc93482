import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { WorkerHealth } from '@millrace/durable';

export interface HealthServer {
  /** `http://host:port`. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * `GET /health/live` is 200 while the process answers; `GET /health/ready` is 200 while the worker takes work, else 503
 * with the reasons.
 * @throws Error when the address cannot be listened on
 */
export async function startHealthServer(
  params: Readonly<{ host: string; port: number; health: () => WorkerHealth }>,
): Promise<HealthServer> {
  const server = createServer((request, response) => answer(request, response, params.health));
  server.listen(params.port, params.host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://${params.host.includes(':') ? `[${params.host}]` : params.host}:${port}`, close: () => close(server) };
}

function answer(request: IncomingMessage, response: ServerResponse, health: () => WorkerHealth): void {
  const path = request.url?.split('?')[0];
  if (request.method !== 'GET' && request.method !== 'HEAD') return send(response, 405, { status: 'method not allowed' });
  if (path === '/health/live') return send(response, 200, { status: 'live' });
  if (path !== '/health/ready') return send(response, 404, { status: 'not found' });
  const { isReady, problems } = health();
  send(response, isReady ? 200 : 503, { status: isReady ? 'ready' : 'not ready', problems });
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
