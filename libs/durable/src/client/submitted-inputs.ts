import type { RunHead } from '../core/run-record.js';

/** What tells one run of an id from the next one of that id. */
type RunIdentity = Pick<RunHead, 'digest' | 'createdAt'>;

interface SubmittedInput extends RunIdentity {
  readonly text: string;
}

/** Inputs kept, in characters. */
const MOST_CHARACTERS = 4 * 1024 * 1024;

/**
 * Stored inputs of the runs that were made here, so that reading such a run need not fetch what was sent. An input never
 * changes while its run exists. Bounded; the oldest go first.
 */
export class SubmittedInputs {
  private readonly inputs = new Map<string, SubmittedInput>();
  private characters = 0;

  /** @param most characters kept in all @defaultValue 4 Mi */
  constructor(private readonly most: number = MOST_CHARACTERS) {}

  has(runId: string): boolean {
    return this.inputs.has(runId);
  }

  /** The input of this very run; undefined when it is not known, or the id belongs to another run by now. */
  of(runId: string, { digest, createdAt }: RunIdentity): string | undefined {
    const input = this.inputs.get(runId);
    return input?.digest === digest && input.createdAt === createdAt ? input.text : undefined;
  }

  keep(runId: string, { digest, createdAt }: RunIdentity, text: string): void {
    this.forget(runId);
    this.inputs.set(runId, { digest, createdAt, text });
    this.characters += text.length;
    for (const oldest of this.inputs.keys()) {
      if (this.characters <= this.most) return;
      this.forget(oldest);
    }
  }

  forget(runId: string): void {
    const input = this.inputs.get(runId);
    if (input === undefined) return;
    this.inputs.delete(runId);
    this.characters -= input.text.length;
  }
}
