/** What the samples of one measured name come to. */
export interface Summary {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  /** In the order in which they were taken. */
  readonly samples: readonly number[];
}

/** @throws RangeError when there are no samples */
export function summarize(samples: readonly number[]): Summary {
  if (samples.length === 0) throw new RangeError('nothing was measured');
  return { median: median(samples), min: Math.min(...samples), max: Math.max(...samples), samples };
}

/** The middle value, or the mean of the two middle ones. NaN when there are none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}
