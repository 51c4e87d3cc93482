/** One part of the way into a payload: a key, an index, or the place in a collection (`<key 3>`). */
export type PathPart = string | number | { readonly label: string };

const LONGEST_KEY = 60;
const LONGEST_PATH = 300;

/** `$.items[3].when`, `$["a b"]`, `$.prices<key 0>`. Long keys and long paths are shortened in the middle. */
export function formatPath(parts: readonly PathPart[]): string {
  const path = `$${parts.map(formatPart).join('')}`;
  if (path.length <= LONGEST_PATH) return path;
  return `${path.slice(0, LONGEST_PATH / 2)}…${path.slice(-LONGEST_PATH / 2)}`;
}

function formatPart(part: PathPart): string {
  if (typeof part === 'number') return `[${part}]`;
  if (typeof part === 'object') return `<${part.label}>`;
  const key = part.length > LONGEST_KEY ? `${part.slice(0, LONGEST_KEY)}…` : part;
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}
