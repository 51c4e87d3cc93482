import { connect } from 'node:net';

/** Where a raw command goes. */
export interface RawTarget {
  /** @defaultValue '127.0.0.1' */
  readonly host?: string;
  readonly port: number;
  /** @defaultValue 1_000 */
  readonly timeoutMs?: number;
}

/** Redis answered with an error reply; the message is that reply. */
export class RedisReplyError extends Error {
  override readonly name = 'RedisReplyError';
}

/**
 * Sends one command over a connection of its own and answers its reply as text. It exists beside the client library
 * because a harness must be able to ask a server that the client library would wait for, retry or re-route.
 *
 * Only replies of one value are understood: simple string, integer, bulk string (null is `''`).
 *
 * @throws RedisReplyError for an error reply; Error when the server cannot be reached or does not answer in time.
 */
export function rawCommand(target: RawTarget, ...words: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: target.host ?? '127.0.0.1', port: target.port });
    let received = Buffer.alloc(0);
    const settle = (act: () => void): void => {
      socket.destroy();
      act();
    };
    const timeoutMs = target.timeoutMs ?? 1_000;
    socket.setTimeout(timeoutMs, () => settle(() => reject(new Error(`${words[0]} got no reply in ${timeoutMs} ms`))));
    socket.on('error', (error) => settle(() => reject(error)));
    socket.on('end', () => settle(() => reject(new Error(`connection closed before ${words[0]} was answered`))));
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      const reply = parseReply(received);
      if (reply instanceof Error) {
        settle(() => reject(reply));
      } else if (reply !== undefined) {
        settle(() => resolve(reply));
      }
    });
    socket.write(encodeCommand(words));
  });
}

function encodeCommand(words: readonly string[]): string {
  return `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`;
}

function parseReply(received: Buffer): string | Error | undefined {
  const lineEnd = received.indexOf('\r\n');
  if (lineEnd < 0) {
    return undefined;
  }
  const line = received.toString('utf8', 1, lineEnd);
  switch (String.fromCharCode(received[0] ?? 0)) {
    case '+':
    case ':':
      return line;
    case '-':
      return new RedisReplyError(line);
    case '$':
      return parseBulk(received, lineEnd + 2, Number(line));
    default:
      return new Error(`a reply of this kind is not understood: ${received.toString('utf8', 0, lineEnd)}`);
  }
}

function parseBulk(received: Buffer, bodyAt: number, length: number): string | undefined {
  if (length < 0) {
    return '';
  }
  return received.length >= bodyAt + length + 2 ? received.toString('utf8', bodyAt, bodyAt + length) : undefined;
}
