import { createHash } from 'node:crypto';

/** Shorter payloads are stored again rather than remembered: a reference would not be shorter by much. */
const LEAST_CHARACTERS = 64;

/** Finds the confirmed result whose stored bytes equal an output's, so that a payload is stored once. */
export class ResultReferences {
  private readonly numbers = new Map<string, number>();

  add(journalNumber: number, payload: string): void {
    if (payload.length >= LEAST_CHARACTERS) this.numbers.set(digest(payload), journalNumber);
  }

  /** The output as a commit carries it: a reference, or the payload. */
  refer(output: string): string | { readonly ref: number } {
    const ref = output.length >= LEAST_CHARACTERS ? this.numbers.get(digest(output)) : undefined;
    return ref === undefined ? output : { ref };
  }
}

function digest(payload: string): string {
  return createHash('sha256').update(payload).digest('base64');
}
