import type { EventSink } from '../core/events.js';
import { laneName } from '../core/lane.js';
import type { Clock, Randomness } from '../ports/clock.js';
import type { WorkerAnnouncement, WorkerRegistry, WorkflowAnnouncement } from '../ports/registry.js';
import { PeriodicLoop } from './periodic-loop.js';

const ANNOUNCE_EVERY_MS = 10_000;
/** Two announcements may fail before a live worker is shown as gone. */
const ANNOUNCEMENT_TTL_MS = 30_000;
/** Every so many announcements the workflows are looked for, so that a registry that was deleted by hand comes back. */
const CHECK_WORKFLOWS_EVERY = 6;

export interface AnnouncerParams {
  readonly registry: WorkerRegistry;
  readonly worker: WorkerAnnouncement;
  readonly workflows: readonly WorkflowAnnouncement[];
  readonly clock: Clock;
  readonly random: Randomness;
  readonly emit: EventSink;
}

/** Tells the registry again and again that this worker lives and what it can do. */
export class Announcer {
  private readonly loop: PeriodicLoop;
  private turns = 0;

  constructor(private readonly params: AnnouncerParams) {
    const { clock, random, emit } = params;
    this.loop = new PeriodicLoop({ name: 'announce', clock, random, emit, firstDelayMs: ANNOUNCE_EVERY_MS, turn: () => this.again() });
  }

  /** The first announcement, with the workflows. Throws what the registry throws: a worker that nobody knows of does not start. */
  async announce(): Promise<void> {
    await this.params.registry.announce(this.params.worker, ANNOUNCEMENT_TTL_MS);
    await this.params.registry.announceWorkflows(this.params.workflows);
  }

  start(): void {
    this.loop.start();
  }

  stop(): Promise<void> {
    return this.loop.stop();
  }

  tick(): Promise<void> {
    return this.loop.tick();
  }

  /** After {@link stop}: whatever claims are left may be taken at once. */
  async sayGoodbye(): Promise<void> {
    await this.params.registry.announce({ ...this.params.worker, goodbye: true }, ANNOUNCEMENT_TTL_MS);
  }

  private async again(): Promise<number> {
    await this.params.registry.announce(this.params.worker, ANNOUNCEMENT_TTL_MS);
    this.turns += 1;
    if (this.turns % CHECK_WORKFLOWS_EVERY === 0) await this.announceMissing();
    return ANNOUNCE_EVERY_MS;
  }

  private async announceMissing(): Promise<void> {
    const known = new Set((await this.params.registry.workflows()).map(identityOf));
    const missing = this.params.workflows.filter((workflow) => !known.has(identityOf(workflow)));
    if (missing.length > 0) await this.params.registry.announceWorkflows(missing);
  }
}

/** Without the hash: during a rolling deploy an old worker must not put its definition over a new one's. */
function identityOf({ workflow, version, queue }: WorkflowAnnouncement): string {
  return laneName({ queue, workflow, version });
}
