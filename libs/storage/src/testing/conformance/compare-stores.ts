import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { OpenHarness } from './harness.js';
import { type Command, sequences } from './sequences/commands.js';
import { Player } from './sequences/player.js';

/** What a comparison plays. */
export interface CompareOptions {
  readonly sequences: number;
  /** Repeats the sequences of a failure that was printed. @defaultValue a new one each time */
  readonly seed?: number;
}

/** Far above what any comparison needs on an idle machine. */
const LIMIT_MS = 120_000;

/**
 * Plays random sequences of commands with two workers, two runs, stale tokens, repeated calls, lapsed leases and lost
 * writes on both stores, each from empty, and expects the same answers and the same records after every command. A
 * failure prints its seed and the shortest sequence found.
 */
export function compareStores(name: string, reference: OpenHarness, subject: OpenHarness, options: CompareOptions): void {
  const { sequences: numRuns, seed } = options;
  describe(`comparison: ${name}`, () => {
    it(
      `${numRuns} random sequences of commands have the same answers on both`,
      async () => {
        const property = fc.asyncProperty(sequences, async (commands) => {
          const [expected, actual] = await Promise.all([playAll(reference, commands), playAll(subject, commands)]);
          for (const [index, step] of expected.entries()) {
            expect({ step: index + 1, ...actual[index] }).toEqual({ step: index + 1, ...step });
          }
        });
        await fc.assert(property, { numRuns, ...(seed === undefined ? {} : { seed }) });
      },
      LIMIT_MS,
    );
  });
}

/** Every answer that tells one branch of the protocol from another, as it stands in the text of a step. */
const branches = [
  '"created"',
  '"existing"',
  '"claimed"',
  '"dropped"',
  '"ok"',
  '"look"',
  '"stale"',
  '"lost"',
  '"cancelled"',
  '"cancelling"',
  '"closed"',
  '"missing"',
  '"buried":1',
  '"fired":1',
  '"setAside":["run',
];

/** Shows that the random sequences reach every branch: sequences that never meet one prove nothing about it. */
export function sequencesReachEveryBranch(open: OpenHarness): void {
  it('random sequences reach every branch of the protocol', async () => {
    const missed = new Set(branches);
    for (const commands of fc.sample(sequences, { numRuns: 200, seed: 1 })) {
      const steps = await playAll(open, commands);
      const answers = JSON.stringify(steps.map((step) => ('answer' in step ? step.answer : null)));
      for (const branch of missed) {
        if (answers.includes(branch)) {
          missed.delete(branch);
        }
      }
    }
    expect([...missed]).toEqual([]);
  });
}

async function playAll(open: OpenHarness, commands: readonly Command[]): Promise<object[]> {
  const player = new Player(await open());
  try {
    const steps: object[] = [];
    for (const command of commands) {
      steps.push(await player.play(command));
    }
    return [...steps, await player.epilogue()];
  } finally {
    await player.close();
  }
}
