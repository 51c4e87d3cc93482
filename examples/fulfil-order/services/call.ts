import { createHash } from 'node:crypto';
import type { StepContext } from '@millrace/durable';

/** What a step hands to the service that it calls. */
export type Call = Pick<StepContext, 'attempt' | 'idempotencyKey' | 'signal'>;

/** A service that the shop depends on did not answer this time. */
export class ServiceUnavailable extends Error {
  override readonly name = 'ServiceUnavailable';
}

/** How often a service fails for an order before it answers: 0, 1 or 2 times, decided by the two names alone. */
export function failuresBefore(service: string, orderId: string): number {
  return (createHash('sha256').update(`${service} ${orderId}`).digest()[0] ?? 0) % 3;
}

/**
 * Stands for the network between the shop and a service.
 * @throws ServiceUnavailable on the first attempts of some orders; the reason of the signal when it is aborted
 */
export function reach(service: string, orderId: string, { attempt, signal }: Call): void {
  signal.throwIfAborted();
  if (attempt <= failuresBefore(service, orderId)) throw new ServiceUnavailable(`${service} did not answer for order ${orderId}`);
}

/** The same id for every attempt of a step: how a service keeps a repeated call from acting twice. */
export function idOf(prefix: string, { idempotencyKey }: Call): string {
  return `${prefix}-${createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 12)}`;
}
