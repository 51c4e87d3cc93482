import { EventEmitter, once } from 'node:events';
import { createServer, type Socket } from 'node:net';

/** Where the runs of `processes-hold` wait, which keep worker processes from everything else. */
export class Gate {
  private readonly sockets = new Set<Socket>();
  private readonly arrivals = new EventEmitter();
  private held = 0;
  private readonly server = createServer((socket) => this.take(socket));

  /** On a free port of loopback. */
  static async start(): Promise<Gate> {
    const gate = new Gate();
    gate.server.listen(0, '127.0.0.1');
    await once(gate.server, 'listening');
    return gate;
  }

  /** For BENCH_GATE_PORT. */
  get port(): number {
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('the gate has no port');
    return address.port;
  }

  /** Resolves when so many runs wait. */
  async waiting(count: number, signal: AbortSignal): Promise<void> {
    while (this.held < count) await once(this.arrivals, 'arrival', { signal });
  }

  /** Lets all that wait go on. */
  open(): void {
    for (const socket of this.sockets) socket.write('.');
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }

  private take(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('data', (bytes) => {
      this.held += bytes.length;
      this.arrivals.emit('arrival');
    });
    socket.on('close', () => this.sockets.delete(socket));
    // A process that dies at the gate is told of by whoever started it.
    socket.on('error', () => socket.destroy());
  }
}
