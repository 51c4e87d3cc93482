/**
 * What each script may answer, by the name of the script: every status word of its Lua file. The callers switch over
 * these types, and a test reads the Lua files and proves that the table is complete in both directions.
 */
export const scriptStatuses = {
  submit: ['created', 'existing', 'unreadable'],
  claim: ['claimed', 'dropped', 'busy'],
  renew: ['renewed', 'lost'],
  commit: ['ok', 'look', 'stale', 'lost'],
  park: ['ok', 'look', 'stale', 'lost'],
  release: ['ok', 'look', 'stale', 'lost'],
  end: ['ok', 'look', 'stale', 'lost'],
  cancel: ['cancelled', 'cancelling', 'closed', 'missing', 'lane-changed'],
  bury: ['ready', 'aside', 'nothing'],
  fire: ['ready', 'aside', 'nothing'],
} as const satisfies Record<string, readonly string[]>;

export type StatusScript = keyof typeof scriptStatuses;
export type StatusOf<Name extends StatusScript> = (typeof scriptStatuses)[Name][number];

/** The status word at the head of a script's answer. @throws Error when the script answered something that it does not know */
export function statusWord<Name extends StatusScript>(name: Name, word: unknown): StatusOf<Name> {
  const statuses: readonly string[] = scriptStatuses[name];
  if (typeof word !== 'string' || !statuses.includes(word)) throw new Error(`script ${name} answered ${JSON.stringify(word)}`);
  return word as StatusOf<Name>;
}
