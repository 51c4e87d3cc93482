import type { Activation } from '@millrace/durable';

interface LaneEntry extends Activation {
  readonly runId: string;
  /** When it was last delivered, null while it was not. A delivery is no claim: an entry leaves when a claim script removes it. */
  deliveredAt: number | null;
}

/** The activations of one lane in one partition, oldest first, as a stream with one consumer group holds them. */
export interface LaneStream {
  /** Id of the newest entry ever, so that ids rise even when the clock does not. */
  lastId: readonly [ms: number, sequence: number];
  readonly entries: Map<string, LaneEntry>;
}

export function newLaneStream(): LaneStream {
  return { lastId: [0, 0], entries: new Map() };
}

export function append(stream: LaneStream, now: number, entry: Readonly<{ runId: string; bits: string }>): Activation {
  const [lastMs, lastSequence] = stream.lastId;
  stream.lastId = now > lastMs ? [now, 0] : [lastMs, lastSequence + 1];
  const entryId = stream.lastId.join('-');
  stream.entries.set(entryId, { entryId, ...entry, deliveredAt: null });
  return { entryId, bits: entry.bits };
}

/**
 * Removes an entry that carries these bits. One of the same id with others is another entry (ids are given again after
 * lost writes) and stays as it is.
 */
export function remove(stream: LaneStream | undefined, { entryId, bits }: Activation): void {
  if (stream?.entries.get(entryId)?.bits === bits) {
    stream.entries.delete(entryId);
  }
}

/** Delivers at most `max` entries that nobody was given yet. */
export function deliver(stream: LaneStream, now: number, max: number): LaneEntry[] {
  return handOver(stream, now, max, (entry) => entry.deliveredAt === null);
}

/** Delivers again at most `max` entries that were delivered `idleMs` ago or earlier. */
export function deliverAgain(stream: LaneStream, now: number, idleMs: number, max: number): LaneEntry[] {
  return handOver(stream, now, max, ({ deliveredAt }) => deliveredAt !== null && now - deliveredAt >= idleMs);
}

export function undelivered(stream: LaneStream): number {
  return [...stream.entries.values()].filter((entry) => entry.deliveredAt === null).length;
}

function handOver(stream: LaneStream, now: number, max: number, mayGo: (entry: LaneEntry) => boolean): LaneEntry[] {
  const chosen = [...stream.entries.values()].filter(mayGo).slice(0, Math.max(max, 0));
  for (const entry of chosen) {
    entry.deliveredAt = now;
  }
  return chosen;
}
