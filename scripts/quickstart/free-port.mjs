import { once } from 'node:events';
import { createServer } from 'node:net';

/** The wanted port of the loopback address when nobody has it, else one that is free now. */
export async function freePort(wanted = 0) {
  const port = await tryPort(wanted);
  return port ?? (await tryPort(0));
}

async function tryPort(port) {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  } catch (error) {
    if (error.code === 'EADDRINUSE' || error.code === 'EACCES') return null;
    throw error;
  }
  const { port: taken } = server.address();
  server.close();
  await once(server, 'close');
  return taken;
}
