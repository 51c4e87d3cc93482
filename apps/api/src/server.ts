import type { Socket } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Clock } from '@millrace/durable';
import type { ApiDeps } from './api-deps.js';
import { createApp } from './create-app.js';

/** An API that listens. */
export interface ApiServer {
  /** `http://host:port`, without a path. */
  readonly url: string;
  /**
   * Takes nothing new, ends event streams with a hint when to come back, lets long polls answer, waits for the rest at most
   * the grace period and then cuts it. Never takes longer than grace + 2 s, also while the store is away.
   * @returns false when something had to be cut
   */
  stop(): Promise<boolean>;
}

/** How long what was cut has to go away. */
const CUT_MS = 1_500;

/** Builds the API and listens. @throws Error when the address cannot be listened on */
export async function startServer(deps: ApiDeps): Promise<ApiServer> {
  const { config, clock } = deps;
  const { app } = await createApp(deps);
  const silent = silentConnections(app);
  try {
    await app.listen(config.port, config.host);
  } catch (error) {
    await within(app.close(), CUT_MS, clock);
    throw error;
  }
  return { url: addressOf(app, config.host), stop: once(() => stop(app, silent, { graceMs: config.graceMs, clock })) };
}

async function stop(
  app: NestFastifyApplication,
  silent: ReadonlySet<Socket>,
  { graceMs, clock }: Readonly<{ graceMs: number; clock: Clock }>,
): Promise<boolean> {
  const closed = app.close();
  for (const socket of silent) if (socket.bytesRead === 0) socket.destroy();
  if (await within(closed, graceMs, clock)) return true;
  app.getHttpServer().closeAllConnections();
  await within(closed, CUT_MS, clock);
  return false;
}

/**
 * Connections on which no request has come yet. Load balancers and browsers open some ahead, and Node counts them among
 * those that are busy: they would hold up a stop for the whole grace period.
 */
function silentConnections(app: NestFastifyApplication): ReadonlySet<Socket> {
  const silent = new Set<Socket>();
  const server = app.getHttpServer();
  server.on('connection', (socket: Socket) => {
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
  });
  server.on('request', ({ socket }: { readonly socket: Socket }) => silent.delete(socket));
  return silent;
}

/** True when the promise was settled in time. What it was rejected with goes through. */
async function within(promise: Promise<void>, limitMs: number, clock: Clock): Promise<boolean> {
  let cancel = () => {};
  const timeUp = new Promise<false>((resolve) => {
    cancel = clock.after(limitMs, () => resolve(false));
  });
  try {
    return await Promise.race([promise.then(() => true), timeUp]);
  } finally {
    cancel();
  }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

function addressOf(app: NestFastifyApplication, host: string): string {
  const address: unknown = app.getHttpServer().address();
  const port = typeof address === 'object' && address !== null && 'port' in address ? Number(address.port) : 0;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
