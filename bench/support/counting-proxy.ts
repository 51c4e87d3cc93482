import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** What went through a proxy in one direction. */
export interface Passed {
  readonly bytes: number;
  /** How often the marker was in it, also where it was split over two packets. */
  readonly markers: number;
}

/** Both directions, as the server sees them. */
export interface Traffic {
  readonly in: Passed;
  readonly out: Passed;
}

/** Stands before a Redis server and counts what its clients say and hear: exact, whoever else asks the server itself. */
export class CountingProxy {
  private readonly sockets = new Set<Socket>();
  private readonly toServer: Counter;
  private readonly toClients: Counter;

  private constructor(
    private readonly server: Server,
    private readonly target: number,
    marker: string,
  ) {
    this.toServer = new Counter(marker);
    this.toClients = new Counter(marker);
    server.on('connection', (client: Socket) => this.join(client));
  }

  /** @param marker ASCII; occurrences of it do not overlap */
  static async start(targetPort: number, marker: string): Promise<CountingProxy> {
    const server = createServer();
    const proxy = new CountingProxy(server, targetPort, marker);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get url(): string {
    return `redis://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Since the start. */
  get traffic(): Traffic {
    return { in: this.toServer.passed, out: this.toClients.passed };
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private join(client: Socket): void {
    const server = connect({ host: '127.0.0.1', port: this.target, noDelay: true });
    client.setNoDelay(true);
    this.pass(client, server, this.toServer);
    this.pass(server, client, this.toClients);
  }

  private pass(from: Socket, to: Socket, counter: Counter): void {
    this.sockets.add(from);
    const count = counter.ofConnection();
    from.on('data', (chunk: Buffer) => {
      count(chunk);
      to.write(chunk);
    });
    // An error is followed by 'close', which is what the other side is told.
    from.on('error', () => from.destroy());
    from.on('close', () => {
      this.sockets.delete(from);
      to.destroy();
    });
  }
}

class Counter {
  private bytes = 0;
  private markers = 0;

  constructor(private readonly marker: string) {}

  get passed(): Passed {
    return { bytes: this.bytes, markers: this.markers };
  }

  /** Counts the packets of one connection. */
  ofConnection(): (chunk: Buffer) => void {
    // Too short to hold a whole marker, so that none is counted twice.
    let tail = '';
    return (chunk) => {
      const text = tail + chunk.toString('latin1');
      this.bytes += chunk.length;
      this.markers += text.split(this.marker).length - 1;
      tail = text.slice(-(this.marker.length - 1));
    };
  }
}
