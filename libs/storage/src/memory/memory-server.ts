import type { Clock, RunStatus, WorkerAnnouncement, WorkflowAnnouncement } from '@millrace/durable';
import { crc16 } from '../redis/crc16.js';
import type { BrokenRecord, MemoryRecord } from './memory-record.js';
import { newPartition, type Partition } from './partition.js';
import { Subscribers } from './subscribers.js';

/** A run has changed its status. */
export interface StatusChange {
  readonly runId: string;
  readonly status: RunStatus;
}

interface Data {
  readonly partitions: readonly Partition[];
  readonly workers: Map<string, WorkerAnnouncement & { readonly expiresAt: number }>;
  readonly workflows: Map<string, WorkflowAnnouncement>;
}

/** A copy of everything that a memory server held at one moment. */
export interface MemorySnapshot {
  readonly data: Data;
}

/** The part of the memory store that its clients share, as they share a Redis server: the data, its time, its notices. */
export class MemoryServer {
  /** Status changes, for the live feed. */
  readonly events = new Subscribers<StatusChange>();
  /** An entry came into some lane. */
  readonly appended = new Subscribers<void>();
  private readonly bells = new Map<string, Subscribers<string>>();
  private data: Data;

  constructor(
    readonly namespace: string,
    partitions: number,
    private readonly clock: Clock,
  ) {
    this.data = { partitions: Array.from({ length: partitions }, newPartition), workers: new Map(), workflows: new Map() };
  }

  /** Server time, ms since the epoch: every durable instant is one of these. */
  now(): number {
    return Math.floor(this.clock.wall());
  }

  get partitions(): readonly Partition[] {
    return this.data.partitions;
  }

  get workers(): Data['workers'] {
    return this.data.workers;
  }

  get workflows(): Data['workflows'] {
    return this.data.workflows;
  }

  partitionOf(runId: string): Partition {
    return this.data.partitions[crc16(runId) % this.data.partitions.length] as Partition;
  }

  /** The record of a run as scripts see it: null when there is none or it cannot be read. */
  readRecord(runId: string): MemoryRecord | null {
    const record = this.partitionOf(runId).runs.get(runId);
    return record === undefined || isBroken(record) ? null : record;
  }

  /** True also for a record that cannot be read. */
  hasKey(runId: string): boolean {
    return this.partitionOf(runId).runs.has(runId);
  }

  /** Makes a record unreadable, as a hand that edits Redis does. Its index, lease, timer and lane entry stay. */
  breakRecord(runId: string, broken: string): void {
    this.partitionOf(runId).runs.set(runId, { runId, broken });
  }

  bellsOf(owner: string): Subscribers<string> {
    const bells = this.bells.get(owner) ?? new Subscribers<string>();
    this.bells.set(owner, bells);
    return bells;
  }

  snapshot(): MemorySnapshot {
    return { data: structuredClone(this.data) };
  }

  /** Falls back to a snapshot: writes since then are lost, as after a failover. Listeners and waiting readers stay. */
  restore({ data }: MemorySnapshot): void {
    this.data = structuredClone(data);
    this.appended.notify();
  }
}

export function isBroken(record: MemoryRecord | BrokenRecord): record is BrokenRecord {
  return 'broken' in record;
}
