import { laneName, type Lane, type RunStatus } from '@millrace/durable';
import { crc16 } from './crc16.js';

/** What an index tells apart; a queued or running run is `active`. */
export type IndexClass = 'active' | Exclude<RunStatus, 'queued' | 'running'>;

/** Every class, in the order of a run's life. */
export const indexClasses: readonly IndexClass[] = ['active', 'waiting', 'completed', 'failed', 'cancelled', 'set-aside'];

/** The class under which a run of this status is indexed. */
export function indexClassOf(status: RunStatus): IndexClass {
  return status === 'queued' || status === 'running' ? 'active' : status;
}

/** The kinds of keys, as `StoreKeys.parse` names them. */
export type ParsedKey =
  | { readonly kind: 'run'; readonly partition: number; readonly runId: string }
  | { readonly kind: 'ready'; readonly partition: number; readonly lane: string }
  | { readonly kind: 'index'; readonly partition: number; readonly workflow: string; readonly indexClass: IndexClass }
  | {
      readonly kind: 'leases' | 'timers' | 'events' | 'names' | 'meta' | 'workers' | 'workers:expiry' | 'workflows' | 'probe';
      readonly partition: number;
    };

/** Lanes and partitions whose keys are kept. */
const MOST_SURROUNDINGS = 10_000;

/** The one place where key names are made. All keys of a partition share a hash tag, so they share a slot of a cluster. */
export class StoreKeys {
  readonly meta: string;
  readonly workers: string;
  readonly workersExpiry: string;
  readonly workflows: string;
  /** What `PUBLISH` channels of bells begin with; an incarnation follows. */
  readonly bellPrefix: string;
  private readonly prefixes: readonly string[];
  private readonly surroundingKeys = new Map<string, readonly string[]>();

  constructor(
    readonly namespace: string,
    readonly partitions: number,
  ) {
    this.prefixes = Array.from({ length: partitions }, (_, partition) => `{${namespace}:${partition}}:`);
    this.meta = `${this.prefix(0)}meta`;
    this.workers = `${this.prefix(0)}workers`;
    this.workersExpiry = `${this.prefix(0)}workers:expiry`;
    this.workflows = `${this.prefix(0)}workflows`;
    this.bellPrefix = `${namespace}:bell:`;
  }

  partitionOf(runId: string): number {
    return this.partitions === 1 ? 0 : crc16(runId) % this.partitions;
  }

  run(runId: string): string {
    return `${this.prefix(this.partitionOf(runId))}run:${runId}`;
  }

  leases(partition: number): string {
    return `${this.prefix(partition)}leases`;
  }

  timers(partition: number): string {
    return `${this.prefix(partition)}timers`;
  }

  events(partition: number): string {
    return `${this.prefix(partition)}events`;
  }

  names(partition: number): string {
    return `${this.prefix(partition)}names`;
  }

  /** Written by `ping` to prove that writes work. */
  probe(partition: number): string {
    return `${this.prefix(partition)}probe`;
  }

  ready(partition: number, lane: string): string {
    return `${this.prefix(partition)}ready:${lane}`;
  }

  index(partition: number, workflow: string, indexClass: IndexClass): string {
    return `${this.prefix(partition)}idx:${workflow}|${indexClass}`;
  }

  /** What every key of a partition begins with. */
  prefix(partition: number): string {
    return this.prefixes[partition] ?? '';
  }

  /** KEYS of the scripts that move a run, in the order of scripts/lib/run-keys.lua; `ended` names the index it ends in. */
  ofRun(runId: string, lane: Lane, ended?: IndexClass): string[] {
    const partition = this.partitionOf(runId);
    const keys = [this.run(runId), ...this.surroundings(partition, lane)];
    if (ended !== undefined) keys.push(this.index(partition, lane.workflow, ended));
    return keys;
  }

  /** All runs of a lane in a partition have these in common. */
  private surroundings(partition: number, lane: Lane): readonly string[] {
    const name = laneName(lane);
    const id = `${partition}|${name}`;
    let keys = this.surroundingKeys.get(id);
    if (keys === undefined) {
      keys = [
        this.leases(partition),
        this.timers(partition),
        this.events(partition),
        this.index(partition, lane.workflow, 'active'),
        this.index(partition, lane.workflow, 'waiting'),
        this.index(partition, lane.workflow, 'set-aside'),
        this.ready(partition, name),
      ];
      // Workflows and versions come and go with deployments; what a run names by mistake must not add up.
      if (this.surroundingKeys.size >= MOST_SURROUNDINGS) this.surroundingKeys.clear();
      this.surroundingKeys.set(id, keys);
    }
    return keys;
  }

  /** KEYS of `submit`: only what a new run touches, because a submission is to cost little more than its input. */
  ofSubmission(runId: string, lane: Lane): string[] {
    const partition = this.partitionOf(runId);
    return [
      this.run(runId),
      this.events(partition),
      this.index(partition, lane.workflow, 'active'),
      this.ready(partition, laneName(lane)),
      this.names(partition),
    ];
  }

  /** The inverse of the builders; null when the key is none of this namespace's. */
  parse(key: string): ParsedKey | null {
    const match = /^\{([^{}]*):(\d+)\}:(.+)$/s.exec(key);
    if (match === null || match[1] !== this.namespace) return null;
    const partition = Number(match[2]);
    return partition < this.partitions ? parseName(partition, match[3] ?? '') : null;
  }
}

const PLAIN = new Set(['leases', 'timers', 'events', 'names', 'meta', 'workers', 'workers:expiry', 'workflows', 'probe'] as const);
type Plain = typeof PLAIN extends Set<infer Name> ? Name : never;

function parseName(partition: number, name: string): ParsedKey | null {
  if (PLAIN.has(name as Plain)) return { kind: name as Plain, partition };
  if (name.startsWith('run:')) return { kind: 'run', partition, runId: name.slice(4) };
  if (name.startsWith('ready:')) return { kind: 'ready', partition, lane: name.slice(6) };
  const [workflow, indexClass] = name.startsWith('idx:') ? name.slice(4).split('|') : [];
  const known = indexClasses.find((candidate) => candidate === indexClass);
  return workflow && known ? { kind: 'index', partition, workflow, indexClass: known } : null;
}
