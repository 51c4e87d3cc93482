import { hash } from 'node:crypto';
import { canonicalJson, jsonFault } from '../core/json-value.js';

/** What makes two submissions the same request. */
export interface DigestedRequest {
  readonly workflow: string;
  /** As the caller wrote it: null when the version was left to the service. */
  readonly version: number | null;
  /** As the caller wrote it: null when the queue was left to the service. */
  readonly queue: string | null;
  readonly input: unknown;
  /** The input's stored text. */
  readonly inputText: string;
}

/**
 * SHA-256 (base64url, 43 characters) of a request. The order of object keys in the input does not matter, every other
 * difference does. Version and queue count as they were written, not as they were resolved: a client that repeats its
 * request after a deployment of a newer version gets its first run again.
 */
export function requestDigest(request: DigestedRequest): string {
  const { workflow, version, queue, input, inputText } = request;
  // A value with special types (dates, maps) is taken by its stored text, in which order is part of the value.
  const canonicalInput = jsonFault(input) === null ? canonicalJson(input) : inputText;
  return hash('sha256', `${JSON.stringify([workflow, version, queue])}\n${canonicalInput}`, 'base64url');
}
