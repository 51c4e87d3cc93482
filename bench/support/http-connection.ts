import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { asError } from '@millrace/durable';

export interface HttpAnswer {
  readonly status: number;
  readonly body: Buffer;
}

/** What is asked of an {@link HttpConnection}, as it goes over the wire. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** JSON text. @defaultValue none */
  readonly body?: string;
}

const HEAD_END = '\r\n\r\n';
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i;

/**
 * One keep-alive connection with one request in flight. It does as little as a client can, so that a load generator on the
 * same machine takes little of what it measures. Answers must state their length; chunked ones are refused.
 */
export class HttpConnection {
  private received: Buffer[] = [];
  private receivedBytes = 0;
  private head: { readonly status: number; readonly endsAt: number; readonly bytes: number } | null = null;
  private settle: { resolve(answer: HttpAnswer): void; reject(error: Error): void } | null = null;

  private constructor(
    private readonly socket: Socket,
    private readonly host: string,
  ) {
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.take(chunk));
    socket.on('error', (error) => this.fail(error));
    socket.on('close', () => this.fail(new Error(`${host} closed the connection`)));
  }

  /** @param url `http://host:port` */
  static async open(url: string): Promise<HttpConnection> {
    const { hostname, port, host } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return new HttpConnection(socket, host);
  }

  /** The bytes of a request, for one that is sent many times. */
  encode({ method, path, body }: HttpRequest): Buffer {
    const content = body === undefined ? '' : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`;
    return Buffer.from(`${method} ${path} HTTP/1.1\r\nhost: ${this.host}\r\n${content}\r\n${body ?? ''}`);
  }

  /** @throws Error when the connection ends before the answer does */
  send(request: Buffer): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      this.settle = { resolve, reject };
      this.socket.write(request);
    });
  }

  close(): void {
    this.socket.removeAllListeners('close');
    this.socket.destroy();
  }

  private take(chunk: Buffer): void {
    this.received.push(chunk);
    this.receivedBytes += chunk.length;
    try {
      this.head ??= this.parseHead();
    } catch (error) {
      this.fail(asError(error));
      this.close();
    }
    if (this.head === null || this.receivedBytes < this.head.bytes) return;
    const { status, endsAt, bytes } = this.head;
    const body = this.joined().subarray(endsAt, bytes);
    this.received = [];
    this.receivedBytes = 0;
    this.head = null;
    const { settle } = this;
    this.settle = null;
    settle?.resolve({ status, body });
  }

  private parseHead(): HttpConnection['head'] {
    const bytes = this.joined();
    const headEnd = bytes.indexOf(HEAD_END);
    if (headEnd < 0) return null;
    const head = bytes.toString('latin1', 0, headEnd);
    const length = CONTENT_LENGTH.exec(head)?.[1];
    if (length === undefined) throw new Error(`an answer without a length: ${head.slice(0, 200)}`);
    const endsAt = headEnd + HEAD_END.length;
    return { status: Number(head.slice(9, 12)), endsAt, bytes: endsAt + Number(length) };
  }

  private joined(): Buffer {
    const [only] = this.received;
    return this.received.length === 1 && only !== undefined ? only : Buffer.concat(this.received);
  }

  private fail(error: Error): void {
    this.settle?.reject(error);
    this.settle = null;
  }
}
