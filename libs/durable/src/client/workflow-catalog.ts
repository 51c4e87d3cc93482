import { TaskNotServed, UnknownWorkflow } from '../core/errors.js';
import { nearNames } from '../core/near-names.js';
import type { Clock } from '../ports/clock.js';
import type { WorkerRegistry, WorkflowAnnouncement } from '../ports/registry.js';

/** Which workflow a caller wants; what it leaves open is chosen. */
export interface WantedWorkflow {
  readonly workflow: string;
  /** @defaultValue the newest announced one */
  readonly version?: number | undefined;
  /** @defaultValue the announced one; of several `default`, else the first by name */
  readonly queue?: string | undefined;
}

interface Catalog {
  readonly workflows: readonly WorkflowAnnouncement[];
  readonly tasks: ReadonlySet<string>;
}

/**
 * What workers announced, read at most once per `ttlMs` while it answers the question; something that is not found is looked
 * up anew. So a new version is picked up within `ttlMs`, and a new workflow at once.
 */
export class WorkflowCatalog {
  private loaded: { readonly catalog: Catalog; readonly staleAt: number } | undefined;
  private loading: Promise<Catalog> | undefined;

  constructor(
    private readonly registry: WorkerRegistry,
    private readonly clock: Clock,
    private readonly ttlMs: number,
  ) {}

  /** @throws UnknownWorkflow, with near names */
  async resolve(wanted: WantedWorkflow): Promise<WorkflowAnnouncement> {
    const found = chooseWorkflow((this.fresh() ?? (await this.load())).workflows, wanted);
    if (found) return found;
    const { workflows } = await this.load();
    const foundNow = chooseWorkflow(workflows, wanted);
    if (foundNow) return foundNow;
    const names = new Set(workflows.map(({ workflow }) => workflow));
    throw new UnknownWorkflow(wanted.workflow, nearNames(wanted.workflow, names), wanted.version);
  }

  /**
   * Every task is announced by some worker, alive or not: a restart of the fleet must not refuse submissions.
   * @throws TaskNotServed naming the first that is not, with near names
   */
  async assertTasks(tasks: Iterable<string>): Promise<void> {
    const wanted = [...new Set(tasks)];
    const isKnown = (catalog: Catalog) => wanted.every((task) => catalog.tasks.has(task));
    if (isKnown(this.fresh() ?? (await this.load()))) return;
    const catalog = await this.load();
    for (const task of wanted) if (!catalog.tasks.has(task)) throw new TaskNotServed(task, nearNames(task, catalog.tasks));
  }

  private fresh(): Catalog | undefined {
    const { loaded } = this;
    return loaded !== undefined && this.clock.monotonic() < loaded.staleAt ? loaded.catalog : undefined;
  }

  /** One read at a time, shared by all who ask meanwhile. */
  private load(): Promise<Catalog> {
    this.loading ??= this.read().finally(() => {
      this.loading = undefined;
    });
    return this.loading;
  }

  private async read(): Promise<Catalog> {
    const [workflows, workers] = await Promise.all([this.registry.workflows(), this.registry.workers()]);
    const tasks = new Set(workers.flatMap((worker) => worker.tasks.map(({ task }) => task)));
    const catalog = { workflows, tasks };
    this.loaded = { catalog, staleAt: this.clock.monotonic() + this.ttlMs };
    return catalog;
  }
}

function chooseWorkflow(announced: readonly WorkflowAnnouncement[], wanted: WantedWorkflow): WorkflowAnnouncement | undefined {
  let chosen: WorkflowAnnouncement | undefined;
  for (const each of announced) {
    if (isWanted(each, wanted) && (chosen === undefined || byPreference(each, chosen) < 0)) chosen = each;
  }
  return chosen;
}

function isWanted({ workflow, version, queue }: WorkflowAnnouncement, wanted: WantedWorkflow): boolean {
  return workflow === wanted.workflow && version === (wanted.version ?? version) && queue === (wanted.queue ?? queue);
}

function byPreference(a: WorkflowAnnouncement, b: WorkflowAnnouncement): number {
  if (a.version !== b.version) return b.version - a.version;
  if (a.queue === b.queue) return 0;
  if (a.queue === 'default' || b.queue === 'default') return a.queue === 'default' ? -1 : 1;
  return a.queue < b.queue ? -1 : 1;
}
