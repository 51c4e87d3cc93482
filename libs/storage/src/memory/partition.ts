import { type Lane, laneName, type RunStatus } from '@millrace/durable';
import { indexClassOf } from '../redis/keys.js';
import { type LaneStream, newLaneStream } from './lane-stream.js';
import type { BrokenRecord, MemoryRecord } from './memory-record.js';

/** What one partition holds: plain data, so that it can be copied and put back. */
export interface Partition {
  readonly runs: Map<string, MemoryRecord | BrokenRecord>;
  /** By lane name. */
  readonly lanes: Map<string, LaneStream>;
  /** Run id → instant at which its claim lapses. This and the record are the claim. */
  readonly leases: Map<string, number>;
  /** Run id → earliest due time of a waiting run. */
  readonly timers: Map<string, number>;
  /** `<workflow>|<class>` → run id → `createdAt`. */
  readonly index: Map<string, Map<string, number>>;
}

export function newPartition(): Partition {
  return { runs: new Map(), lanes: new Map(), leases: new Map(), timers: new Map(), index: new Map() };
}

export function indexName(workflow: string, status: RunStatus): string {
  return `${workflow}|${indexClassOf(status)}`;
}

/** The stream of a lane, made when it is not there. */
export function laneStream(partition: Partition, lane: Lane): LaneStream {
  const name = laneName(lane);
  const stream = partition.lanes.get(name) ?? newLaneStream();
  partition.lanes.set(name, stream);
  return stream;
}

/** Gives a record its status and moves it to the index of that status. */
export function setStatus(partition: Partition, record: MemoryRecord, status: RunStatus): void {
  const { workflow } = record.lane;
  partition.index.get(indexName(workflow, record.status))?.delete(record.runId);
  record.status = status;
  const name = indexName(workflow, status);
  const members = partition.index.get(name) ?? new Map<string, number>();
  partition.index.set(name, members.set(record.runId, record.createdAt));
}

/** Members of a lease or timer set that are due, earliest first. */
export function dueMembers(set: ReadonlyMap<string, number>, now: number, limit: number): string[] {
  return [...set]
    .filter(([, at]) => at <= now)
    .sort(([one, oneAt], [other, otherAt]) => oneAt - otherAt || (one < other ? -1 : 1))
    .slice(0, limit)
    .map(([runId]) => runId);
}
