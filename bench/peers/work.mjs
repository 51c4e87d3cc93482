/**
 * What one step computes. Every form runs the same work, and the expected values come from here too, computed without any queue.
 *
 * @typedef {object} Work
 * @property {(run: number) => string} first What goes into the first step of a run.
 * @property {(value: string) => string} step One step: from the output of the step before it (or `first`) to its own output.
 */

const MULTIPLIER = 6364136223846793005n;
const INCREMENT = 1442695040888963407n;

/**
 * One step of a 64-bit linear congruential generator; its input is 1 + the output before it. Values are decimal strings, because
 * JSON numbers hold 53 bits. Runs start at their own number, so that no result of one run passes for that of another.
 *
 * @type {Work}
 */
export const lcg = {
  first: (run) => String(run),
  step: (value) => BigInt.asUintN(64, (BigInt(value) + 1n) * MULTIPLIER + INCREMENT).toString(),
};

/**
 * Steps that give back what they were given.
 *
 * @param {number} payloadBytes Length of what is echoed, quotes excluded; at least 12, because it begins with the number of its run.
 * @returns {Work}
 */
export function echo(payloadBytes) {
  return {
    first: (run) => `${run}:`.padEnd(payloadBytes, 'x'),
    step: (value) => value,
  };
}

/**
 * The value that a run must end with.
 *
 * @param {Work} work
 * @param {number} run
 * @param {number} steps
 */
export function expectedValue(work, run, steps) {
  let value = work.first(run);
  for (let done = 0; done < steps; done += 1) value = work.step(value);
  return value;
}
