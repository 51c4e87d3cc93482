import type { Clock } from '@millrace/durable';
import type { Namespaces } from '../namespaces/namespaces.js';

/** How long a write may take before the service calls itself not ready. */
const LIMIT_MS = 2_000;

/** Finds out whether every namespace's store takes a write. One probe at a time: probes must not pile up on a store that hangs. */
export class Readiness {
  private probe: Promise<boolean> | undefined;

  constructor(
    private readonly namespaces: Namespaces,
    private readonly clock: Clock,
  ) {}

  async isReady(): Promise<boolean> {
    this.probe ??= this.pingAll().finally(() => {
      this.probe = undefined;
    });
    return this.withinLimit(this.probe);
  }

  private async pingAll(): Promise<boolean> {
    const pings = this.namespaces.names.map(async (name) => this.namespaces.get(name).storage.ping());
    const results = await Promise.allSettled(pings);
    // Why not is told by the store's own events; a probe only asks whether.
    return results.every(({ status }) => status === 'fulfilled');
  }

  private withinLimit(probe: Promise<boolean>): Promise<boolean> {
    return new Promise((resolve) => {
      const cancel = this.clock.after(LIMIT_MS, () => resolve(false));
      void probe.then((isReady) => {
        cancel();
        resolve(isReady);
      });
    });
  }
}
