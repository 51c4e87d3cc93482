import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Where a proxy sends what it is sent. */
export interface FaultProxyOptions {
  readonly target: { readonly host?: string; readonly port: number };
}

/** Which requests lose their reply: the next n, or those whose bytes the predicate knows. */
export type LostReplies = number | ((request: Buffer) => boolean);

/** A fault that was armed. */
export interface ReplyFault {
  /** Replies lost so far. */
  readonly count: number;
  /** Resolves when the first reply is lost; a signal for a test to wait for, with a limit of its own. */
  readonly firstLost: Promise<void>;
}

/** A TCP proxy before a Redis server that fails on purpose. */
export interface FaultProxy {
  readonly url: string;
  readonly port: number;
  /** Client connections open now. */
  readonly connections: number;
  /**
   * Arms a fault: the request is forwarded and carried out, its reply is swallowed and the connection is cut. A number
   * counts the next requests, a connection's own greeting included; a predicate sees the bytes a connection has sent since
   * the last reply, and fires once unless `times` says otherwise. It replaces a fault armed before.
   */
  dropReplies(which: LostReplies, options?: { readonly times?: number }): ReplyFault;
  /** Cuts every connection at once; new ones are taken. */
  cutAll(): void;
  /** From now on no byte passes either way; sockets stay open and new ones are taken. */
  stall(): void;
  /** Ends `stall()`, what was held back flows, and disarms `dropReplies`. */
  heal(): void;
  /** Cuts every connection and stops listening. */
  close(): Promise<void>;
}

/** A predicate sees at most this much of what a connection has sent. */
const REMEMBERED_BYTES = 1024 * 1024;

/** Starts a proxy on a free loopback port. One proxy stands before one server; give each client under test its own. */
export async function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const proxy = new LoopbackFaultProxy(options.target);
  await proxy.listen();
  return proxy;
}

class LoopbackFaultProxy implements FaultProxy {
  port = 0;
  private readonly server: Server;
  private readonly open = new Set<ProxiedConnection>();
  private fault: ArmedFault | undefined;
  private isStalled = false;

  constructor(private readonly target: { readonly host?: string; readonly port: number }) {
    this.server = createServer((client) => this.accept(client));
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  get connections(): number {
    return this.open.size;
  }

  async listen(): Promise<void> {
    this.server.listen({ host: '127.0.0.1', port: 0 });
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  dropReplies(which: LostReplies, options: { readonly times?: number } = {}): ReplyFault {
    this.fault = typeof which === 'number' ? new ArmedFault(() => true, which) : new ArmedFault(which, options.times ?? 1);
    return this.fault;
  }

  cutAll(): void {
    for (const connection of this.open) {
      connection.cut();
    }
  }

  stall(): void {
    this.isStalled = true;
    for (const connection of this.open) {
      connection.hold();
    }
  }

  heal(): void {
    this.fault = undefined;
    this.isStalled = false;
    for (const connection of this.open) {
      connection.release();
    }
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.cutAll();
    await closed;
  }

  private accept(client: Socket): void {
    const upstream = connect({ host: this.target.host ?? '127.0.0.1', port: this.target.port });
    const connection = new ProxiedConnection(client, upstream, () => this.fault);
    this.open.add(connection);
    upstream.once('close', () => this.open.delete(connection));
    if (this.isStalled) {
      connection.hold();
    }
  }
}

class ArmedFault implements ReplyFault {
  count = 0;
  readonly firstLost: Promise<void>;
  private tellFirstLost!: () => void;
  private remaining: number;

  constructor(
    private readonly matches: (request: Buffer) => boolean,
    times: number,
  ) {
    this.remaining = times;
    this.firstLost = new Promise((resolve) => {
      this.tellFirstLost = resolve;
    });
  }

  /** Takes one of the remaining losses for this request, if it is meant. */
  take(request: Buffer): boolean {
    if (this.remaining <= 0 || !this.matches(request)) {
      return false;
    }
    this.remaining -= 1;
    return true;
  }

  lost(): void {
    this.count += 1;
    this.tellFirstLost();
  }
}

class ProxiedConnection {
  /** What the client has sent since the last reply. */
  private request: Buffer = Buffer.alloc(0);
  /** The fault that this connection's outstanding request fell to. */
  private fault: ArmedFault | undefined;
  private isHeld = false;

  constructor(
    private readonly client: Socket,
    private readonly upstream: Socket,
    private readonly armed: () => ArmedFault | undefined,
  ) {
    client.setNoDelay(true);
    upstream.setNoDelay(true);
    client.on('data', (chunk) => this.forwardRequest(chunk));
    upstream.on('data', (chunk) => this.forwardReply(chunk));
    client.once('close', () => this.clientClosed());
    upstream.once('close', () => this.upstreamClosed());
    // An error is always followed by 'close', which cuts the other side: that is how a proxy passes an error on.
    client.on('error', () => client.destroy());
    upstream.on('error', () => upstream.destroy());
  }

  cut(): void {
    this.client.destroy();
    this.upstream.destroy();
  }

  hold(): void {
    this.isHeld = true;
    this.client.pause();
    this.upstream.pause();
  }

  release(): void {
    this.isHeld = false;
    this.client.resume();
    this.upstream.resume();
  }

  private forwardRequest(chunk: Buffer): void {
    if (this.fault !== undefined) {
      return; // The connection is about to be cut: what comes after the doomed request never arrives.
    }
    this.request = Buffer.concat([this.request, chunk]).subarray(-REMEMBERED_BYTES);
    const fault = this.armed();
    if (fault?.take(this.request) === true) {
      this.fault = fault;
    }
    this.upstream.write(chunk);
  }

  private forwardReply(chunk: Buffer): void {
    if (this.fault === undefined) {
      this.request = Buffer.alloc(0);
      if (!this.client.destroyed) {
        this.client.write(chunk);
      }
      return;
    }
    // Not destroy(): a reset could overtake requests that the server has not read yet. It carries out all it was
    // sent, then sees the end of the stream and closes, and only then does the client learn that it is cut off.
    this.upstream.end();
  }

  private clientClosed(): void {
    if (this.isHeld) {
      this.upstream.destroy(); // Nothing is read from it now, so its own end would not be seen.
    } else {
      this.upstream.end(); // What the client sent before it left is still carried out.
    }
  }

  private upstreamClosed(): void {
    this.client.destroy();
    this.fault?.lost();
  }
}
