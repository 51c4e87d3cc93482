/** Only so many first characters are compared: the cost of a comparison is their square. */
const COMPARED_LENGTH = 64;
const MOST_EDITS = 5;
/** Another letter case is hardly another letter. */
const CASE_COST = 0.1;

/**
 * The known names nearest to a misspelt one, best first, for "did you mean …?". Only names within a third of the length and 5 edits
 * are near. About 20 µs a known name: not for long lists that a stranger chooses.
 */
export function nearNames(wanted: string, known: Iterable<string>, limit = 3): string[] {
  // Of a single letter every other one would be near.
  const furthest = wanted.length < 2 ? CASE_COST : Math.min(MOST_EDITS, Math.max(1, Math.floor(wanted.length / 3)));
  const near: Array<readonly [name: string, distance: number]> = [];
  for (const name of known) {
    if (Math.abs(name.length - wanted.length) > furthest) continue;
    const distance = editDistance(wanted.slice(0, COMPARED_LENGTH), name.slice(0, COMPARED_LENGTH), furthest);
    if (distance <= furthest) near.push([name, distance]);
  }
  near.sort(([nameA, a], [nameB, b]) => a - b || (nameA < nameB ? -1 : 1));
  return near.slice(0, limit).map(([name]) => name);
}

/**
 * Damerau–Levenshtein distance, a swap of neighbours as one edit (optimal string alignment). Infinity as soon as it must be more than
 * `furthest`: two rows in a row without a smaller number cannot be followed by one.
 */
function editDistance(a: string, b: string, furthest: number): number {
  let beforeLast = new Float64Array(b.length + 1);
  let last = Float64Array.from({ length: b.length + 1 }, (_, column) => column);
  let lastLeast = 0;
  for (let row = 1; row <= a.length; row++) {
    const current = new Float64Array(b.length + 1);
    current[0] = row;
    let least = row;
    for (let column = 1; column <= b.length; column++) {
      const cost = cellCost(a, b, row, column, beforeLast, last, current);
      current[column] = cost;
      if (cost < least) least = cost;
    }
    if (least > furthest && lastLeast > furthest) return Number.POSITIVE_INFINITY;
    [beforeLast, last, lastLeast] = [last, current, least];
  }
  return last[b.length] ?? 0;
}

function cellCost(
  a: string,
  b: string,
  row: number,
  column: number,
  beforeLast: Float64Array,
  last: Float64Array,
  current: Float64Array,
): number {
  const change = last[column - 1]! + substitutionCost(a.charCodeAt(row - 1), b.charCodeAt(column - 1));
  const shorter = Math.min(last[column]!, current[column - 1]!) + 1;
  const isSwap =
    row > 1 && column > 1 && a.charCodeAt(row - 1) === b.charCodeAt(column - 2) && a.charCodeAt(row - 2) === b.charCodeAt(column - 1);
  return isSwap ? Math.min(change, shorter, beforeLast[column - 2]! + 1) : Math.min(change, shorter);
}

function substitutionCost(a: number, b: number): number {
  if (a === b) return 0;
  return isLetter(a) && (a ^ b) === 0x20 ? CASE_COST : 1;
}

function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}
