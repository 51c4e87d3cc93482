import type { FastifyReply } from 'fastify';

/** A signal and the way to stop listening for it. */
export interface Held {
  readonly signal: AbortSignal;
  /** Does no harm when called twice. */
  readonly release: () => void;
}

/** A signal that is raised when the client has gone away, or when `stopping` is. Also when that happened before this call. */
export function untilLeft(reply: FastifyReply, stopping: AbortSignal): Held {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const release = () => {
    reply.raw.off('close', abort);
    stopping.removeEventListener('abort', abort);
  };
  reply.raw.once('close', abort);
  stopping.addEventListener('abort', abort);
  if (stopping.aborted || reply.raw.destroyed || reply.raw.closed) abort();
  return { signal: controller.signal, release };
}
