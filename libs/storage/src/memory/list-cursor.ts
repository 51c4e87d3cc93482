import { InvalidInput } from '@millrace/durable';

/** A place in a listing: the row that the page before ended with. */
export interface ListPlace {
  readonly createdAt: number;
  readonly runId: string;
}

/** Newest first; of two runs of one instant the greater id first, so that the order is total and a cursor names one place. */
export function compareNewestFirst(one: ListPlace, other: ListPlace): number {
  if (one.runId === other.runId) {
    return 0;
  }
  return other.createdAt - one.createdAt || (one.runId < other.runId ? 1 : -1);
}

export function encodeCursor({ createdAt, runId }: ListPlace): string {
  return Buffer.from(`${createdAt}|${runId}`).toString('base64url');
}

/** @throws InvalidInput when the text was not made by {@link encodeCursor} */
export function decodeCursor(cursor: string): ListPlace {
  const match = /^(\d{1,15})\|(.+)$/s.exec(Buffer.from(cursor, 'base64url').toString());
  const place = match && { createdAt: Number(match[1]), runId: match[2] as string };
  if (!place || encodeCursor(place) !== cursor) {
    throw new InvalidInput('cursor', [{ path: 'cursor', message: 'is not one that a page of the listing answered' }]);
  }
  return place;
}
