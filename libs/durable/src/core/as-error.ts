/** Whatever was thrown, as an `Error`. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(`not an error was thrown: ${String(thrown)}`, { cause: thrown });
}
