import type { EventSink, Graph, RunClient, TaskDefinition, Worker, WorkerOptions, WorkflowDefinition } from '@millrace/durable';
import type { RedisStorage } from '@millrace/storage';
import type { RedisServer } from '@millrace/storage/testing';

/** How a scenario is run. */
export interface Settings {
  /** Of every Redis server of the run. @defaultValue 'always' */
  readonly fsync: 'always' | 'everysec';
  /** Counted samples of each row. @defaultValue 5, or 1 with `quick` */
  readonly samples: number;
  /** Few and small rows, no warm-up: shows that the scenario works, measures nothing. @defaultValue false */
  readonly quick: boolean;
  /** The rows of other products too. @defaultValue false */
  readonly peers: boolean;
}

/** Named numbers of one sample; the name ends in its unit: `wallMs`, `runsPerSecond`, `bytesIn`, `p50Ms`. */
export type Measured = Readonly<Record<string, number>>;

/** The key of a table row: `{ form: 'code', steps: 1000 }`. */
export type Row = Readonly<Record<string, string | number>>;

export interface Scenario {
  readonly name: string;
  /** One line, for --help and the head of the table. */
  readonly about: string;
  /** Rows of the table, in order. With `quick`: few, small. With `peers`: the peers' rows too. */
  cases(settings: Settings): readonly BenchCase[];
  /** Figures computed from rows of the same run, with the target where there is one. */
  ratios?(rows: Rows): readonly Ratio[];
}

export interface BenchCase {
  /** Unique in the scenario. */
  readonly row: Row;
  /** Longest time of one sample, ms. Beyond it the row is `timeout`, with `progress()` as far as it came, and is not repeated. */
  readonly timeoutMs: number;
  /** Beyond one of them the row is `resource_limit` and is not repeated. */
  readonly limits?: Limits;
  /** One sample on fresh storage. @throws WrongResult when its oracle says that the result is not right */
  sample(lab: Lab): Promise<Measured>;
}

export interface Limits {
  /** Heap of this process. @defaultValue 4 GiB, or nine tenths of what Node may use when that is less */
  readonly heapBytes?: number;
  /** Resident memory of the sample's Redis, as the system tells it (Linux only). @defaultValue 2 GiB */
  readonly redisBytes?: number;
}

/** A figure from rows of one run: mostly the ratio of two medians. */
export interface Ratio {
  readonly name: string;
  readonly value: number;
  readonly target?: { readonly most?: number; readonly least?: number };
}

/** Rows that are `ok`. */
export interface Rows {
  /**
   * The median of a measured name over the samples of the one row that has all of these values.
   * NaN when there is no such row, it is not `ok`, or it measures no such name. @throws Error when several rows have them
   */
  median(row: Row, name: string): number;
  /** Of the rows that have all of these values, in order. */
  matching(row: Row): readonly Row[];
}

/** What a sample works with. Everything opened through it is closed after the sample, also when the sample failed. */
export interface Lab {
  readonly settings: Settings;
  /** A server of this sample alone: own folder, free port, an append-only file under the fsync policy, no snapshots. */
  readonly redis: RedisServer;
  /** Aborted at the sample's time limit or at one of its budgets. */
  readonly signal: AbortSignal;
  /** How far it came, for a row that does not finish. */
  progress(done: number, of: number): void;
  /** Called when the sample is over, last registered first. */
  onClose(close: () => unknown): void;
  /** The library in this process, on the namespace `default`: a storage, a client and a started worker that share it. */
  engine(options: EngineOptions): Promise<Engine>;
  /** A process of the API; resolves when it is ready. Settings of `env` win over ours. */
  startApi(env?: Environment): Promise<ApiProcess>;
  /** A worker process; resolves when it takes work. Settings of `env` win over ours; `MILLRACE_WORKFLOWS` must be there. */
  startWorker(env: Environment): Promise<WorkerProcess>;
  /** Several of them at once, each under a name of its own. */
  startWorkers(count: number, env: Environment): Promise<WorkerProcess[]>;
}

export type Environment = Readonly<Record<string, string>>;

export interface EngineOptions {
  readonly workflows: readonly WorkflowDefinition[];
  /** @defaultValue none */
  readonly tasks?: readonly TaskDefinition[];
  /** @defaultValue every default */
  readonly worker?: WorkerOptions;
  /** Hears what the worker does. @defaultValue nobody */
  readonly emit?: EventSink;
  /** Where Redis is, when not at `lab.redis` itself: a proxy before it. */
  readonly url?: string;
}

export interface Engine {
  readonly client: RunClient;
  readonly worker: Worker;
  readonly storage: RedisStorage;
  /** The value of a stored payload; null when there is none. */
  readonly decode: (payload: string | null) => unknown;
  /**
   * Submits and waits for the confirmed result.
   * @throws WrongResult when the run ends otherwise than completed; the reason of `lab.signal` when it was aborted before
   */
  readonly complete: (workflow: string, input: unknown) => Promise<CompletedRun>;
  /** As `complete`, of a graph as data. */
  readonly completeGraph: (graph: Graph) => Promise<CompletedRun>;
}

export interface CompletedRun {
  readonly runId: string;
  readonly output: unknown;
}

/** A process of the product that a sample started. It is killed when the sample is over. */
export interface LabProcess {
  readonly pid: number;
  /** All that it has said, on both streams. */
  readonly log: string;
  /** SIGKILL, and its end. */
  kill(): Promise<void>;
  /** SIGTERM, and its end. */
  stop(): Promise<void>;
}

export interface ApiProcess extends LabProcess {
  readonly url: string;
}

export type WorkerProcess = LabProcess;

/** The oracle of a sample says that its result is not right. */
export class WrongResult extends Error {
  override readonly name = 'WrongResult';
}

/** A program that a sample started gave up by itself: the row is `timeout`, after what it told by `progress()`. */
export class OutOfTime extends Error {
  override readonly name = 'OutOfTime';
}
