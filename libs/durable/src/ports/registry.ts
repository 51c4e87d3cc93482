import type { Graph } from '../core/graph.js';
import type { Lane } from '../core/lane.js';

/** What one start of a worker tells about itself. */
export interface WorkerAnnouncement {
  /** Name + random bits: this start of the worker, never used again. */
  readonly incarnation: string;
  readonly name: string;
  readonly host: string;
  readonly pid: number;
  /** Proof material: `<boot id>/<pid namespace>`, and the start time of the process; null where the platform has none. */
  readonly hostId: string | null;
  readonly processStart: string | null;
  readonly startedAt: number;
  readonly concurrency: number;
  readonly lanes: readonly Lane[];
  readonly tasks: ReadonlyArray<{ readonly queue: string; readonly task: string }>;
  /** A graceful stop said goodbye: its claims were handed back, or may be taken at once. */
  readonly goodbye: boolean;
}

/** A workflow as a worker announces it; the API validates inputs against `inputSchema` and loads no user code. */
export interface WorkflowAnnouncement {
  readonly workflow: string;
  readonly version: number;
  readonly queue: string;
  /** Digest of the definition (name, version, schema, options). */
  readonly definitionHash: string;
  /** JSON Schema 2020-12 of the input; null accepts anything. */
  readonly inputSchema: unknown;
  /** The graph that every run of it executes; null for a body of code. */
  readonly graph: Graph | null;
}

/** Who works here and what they can do. Entries of a worker live `ttlMs` past its last announcement. */
export interface WorkerRegistry {
  announce(worker: WorkerAnnouncement, ttlMs: number): Promise<void>;
  announceWorkflows(workflows: readonly WorkflowAnnouncement[]): Promise<void>;
  /** Live workers, and dead ones that have not been forgotten yet. Dead: `expiresAt` is past or goodbye was said. */
  workers(): Promise<Array<WorkerAnnouncement & { readonly expiresAt: number }>>;
  /** Earlier incarnations of a name, dead or not, newest first, at most 100. */
  incarnations(name: string): Promise<WorkerAnnouncement[]>;
  forget(incarnation: string): Promise<void>;
  /** Every workflow ever announced and not removed. */
  workflows(): Promise<WorkflowAnnouncement[]>;
}
