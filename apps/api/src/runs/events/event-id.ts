import { invalidRequest } from '../../http/problem.js';

/**
 * How far a client has read: all outcomes up to a revision, and the end if there was one. As text `<revision>`, and
 * `<revision>.end` after the end.
 */
export interface EventPosition {
  readonly revision: number;
  readonly isEnd: boolean;
}

export function formatEventId({ revision, isEnd }: EventPosition): string {
  return isEnd ? `${revision}.end` : String(revision);
}

/** @throws HttpProblem 400 when the text is no event id */
export function parseEventId(text: string): EventPosition {
  const match = /^(\d{1,15})(\.end)?$/.exec(text);
  if (match === null) throw invalidRequest('header', [{ path: 'Last-Event-ID', message: 'must be an id of an event of this stream' }]);
  return { revision: Number(match[1]), isEnd: match[2] !== undefined };
}
