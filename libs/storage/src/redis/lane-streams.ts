import { laneName, type DeliveredActivation, type Lane } from '@millrace/durable';
import type { StoreKeys } from './keys.js';

/** One lane's stream in one partition. */
export interface LaneStream {
  readonly key: string;
  readonly partition: number;
  readonly lane: Lane;
}

/** The streams of some lanes in some partitions. */
export function laneStreams(keys: StoreKeys, partitions: readonly number[], lanes: readonly Lane[]): LaneStream[] {
  return partitions.flatMap((partition) => lanes.map((lane) => ({ key: keys.ready(partition, laneName(lane)), partition, lane })));
}

/** The same streams beginning at another one, so that none is always read first. */
export function rotate<Item>(items: readonly Item[], by: number): Item[] {
  const shift = items.length === 0 ? 0 : by % items.length;
  return [...items.slice(shift), ...items.slice(0, shift)];
}

/** Reads the flat answer of the lane scripts: stream index, entry id, run id, bits, and so on. */
export function deliveredFrom(streams: readonly LaneStream[], flat: ReadonlyArray<string | number>): DeliveredActivation[] {
  const delivered: DeliveredActivation[] = [];
  for (let at = 0; at + 3 < flat.length; at += 4) {
    const stream = streams[Number(flat[at])];
    if (stream !== undefined)
      delivered.push({ lane: stream.lane, entryId: String(flat[at + 1]), runId: String(flat[at + 2]), bits: String(flat[at + 3]) });
  }
  return delivered;
}
