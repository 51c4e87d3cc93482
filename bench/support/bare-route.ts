import { fastify } from 'fastify';
import { Redis } from 'ioredis';

/**
 * The floor under a submission: a Fastify route that parses the same body and does one XADD with what it carries, on the same
 * Redis, in a process of its own. Client and server have their defaults. Told the address of Redis, it says its own.
 */
async function main(redisUrl: string): Promise<void> {
  const redis = new Redis(redisUrl);
  const app = fastify();
  app.post<{ readonly Body: { readonly workflow: string; readonly input: unknown } }>('/v1/runs', async ({ body }, reply) => {
    const id = await redis.xadd('bare', '*', 'w', body.workflow, 'i', JSON.stringify(body.input));
    return reply.code(202).send({ id });
  });
  process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
}

await main(process.argv[2] ?? '');
