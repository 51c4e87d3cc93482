import helmet from '@fastify/helmet';
import { fastify } from 'fastify';

/**
 * The headers that helmet puts on every answer. They are the same for all, and its plugin would put them together anew for
 * each request; here it does so once, on a server of its own that listens on nothing.
 */
export async function securityHeaders(): Promise<Readonly<Record<string, string>>> {
  const server = fastify();
  // Plain HTTP behind somebody else's TLS must keep working.
  await server.register(helmet, { contentSecurityPolicy: { directives: { 'upgrade-insecure-requests': null } } });
  let headers = {};
  server.get('/', async (_request, reply) => {
    headers = { ...reply.raw.getHeaders() };
  });
  await server.inject('/');
  await server.close();
  return headers;
}
