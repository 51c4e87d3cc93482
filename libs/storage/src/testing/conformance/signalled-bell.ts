import { signalled } from '@millrace/durable/testing';
import type { StorageUnderTest } from './harness.js';

/** Listens to an owner's bell; `rung` waits, with a limit, for one that names the run. */
export async function signalledBell(
  storage: StorageUnderTest,
  owner: string,
): Promise<{ rung(runId: string): Promise<void>; close(): Promise<void> }> {
  const signals = signalled();
  const listener = await storage.bells.listen(owner, (runId) => signals.raise(`a bell for run ${runId}`));
  return { rung: (runId) => signals.waitFor(`a bell for run ${runId}`), close: () => listener.close() };
}
