import type { WorkerAnnouncement, WorkerRegistry, WorkflowAnnouncement } from '@millrace/durable';
import type { MemoryServer } from './memory-server.js';

/** Incarnations of one name that are answered at most. */
const ANSWERED_INCARNATIONS = 100;

/** Who works here, as they said themselves. */
export class MemoryRegistry implements WorkerRegistry {
  constructor(private readonly server: MemoryServer) {}

  async announce(worker: WorkerAnnouncement, ttlMs: number): Promise<void> {
    this.server.workers.set(worker.incarnation, structuredClone({ ...worker, expiresAt: this.server.now() + ttlMs }));
  }

  async announceWorkflows(workflows: readonly WorkflowAnnouncement[]): Promise<void> {
    for (const announcement of workflows) {
      const { workflow, version, queue } = announcement;
      this.server.workflows.set(`${workflow}|${version}|${queue}`, structuredClone(announcement));
    }
  }

  async workers(): Promise<Array<WorkerAnnouncement & { readonly expiresAt: number }>> {
    return structuredClone([...this.server.workers.values()]);
  }

  async incarnations(name: string): Promise<WorkerAnnouncement[]> {
    return (await this.workers())
      .filter((worker) => worker.name === name)
      .sort((one, other) => other.startedAt - one.startedAt)
      .slice(0, ANSWERED_INCARNATIONS)
      .map(({ expiresAt: _expiresAt, ...worker }) => worker);
  }

  async forget(incarnation: string): Promise<void> {
    this.server.workers.delete(incarnation);
  }

  async workflows(): Promise<WorkflowAnnouncement[]> {
    return structuredClone([...this.server.workflows.values()]);
  }
}
