import type { RowResult } from './report.js';
import type { Row, Rows } from './scenario.js';

/** The rows of a run, as `ratios` reads them. */
export function rowsOf(results: readonly RowResult[]): Rows {
  const matches = (row: Row) => results.filter((result) => result.status === 'ok' && has(result.row, row));
  return {
    median(row, name) {
      const found = matches(row);
      if (found.length > 1) throw new Error(`${found.length} rows have ${JSON.stringify(row)}`);
      return found[0]?.measured[name]?.median ?? Number.NaN;
    },
    matching: (row) => matches(row).map((result) => result.row),
  };
}

/** Whether the row has all of these values. */
export function has(row: Row, wanted: Row): boolean {
  return Object.entries(wanted).every(([name, value]) => row[name] === value);
}
