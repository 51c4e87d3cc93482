import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below every usual ephemeral range: while a server on an ephemeral port is down, a client that keeps reconnecting
 * to it can be given that very port as its own and connect to itself, and the server can then never come back.
 */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_000;
const TRIES = 100;

/**
 * A loopback port nobody listens on at this moment. Another process may take it before the caller does, so the
 * caller must be ready to ask again.
 */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < TRIES; tried += 1) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
    if (await canListen(port)) {
      return port;
    }
  }
  throw new Error(`no free port found between ${FIRST_PORT} and ${LAST_PORT} in ${TRIES} tries`);
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') {
        resolve(false);
      } else {
        reject(error);
      }
    });
    server.listen({ host: '127.0.0.1', port }, () => server.close(() => resolve(true)));
  });
}
