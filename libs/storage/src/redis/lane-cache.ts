import type { Lane } from '@millrace/durable';

const MOST_LANES = 10_000;

/**
 * Lanes of runs that were claimed here: the last change of a run needs its lane for the keys, and a run never changes its
 * lane while it is claimed. Bounded; what was pushed out is read from the record.
 */
export class LaneCache {
  private readonly lanes = new Map<string, Lane>();

  get(runId: string): Lane | undefined {
    return this.lanes.get(runId);
  }

  set(runId: string, lane: Lane): void {
    this.lanes.delete(runId);
    this.lanes.set(runId, lane);
    if (this.lanes.size <= MOST_LANES) return;
    const [oldest] = this.lanes.keys();
    if (oldest !== undefined) this.lanes.delete(oldest);
  }

  delete(runId: string): void {
    this.lanes.delete(runId);
  }
}
