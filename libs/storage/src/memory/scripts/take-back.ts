import { type DeliveredActivation, laneName, type RunStore } from '@millrace/durable';
import type { MemoryServer } from '../memory-server.js';
import { bury } from './bury.js';
import { ready } from './ready.js';
import { findRun, type ScriptRun } from './script-run.js';

type TakeBackRequest = Parameters<RunStore['takeBack']>[0];

/** Buries the claims of an incarnation that is proven dead, without waiting for their leases, of the given lanes only. */
export function takeBack(server: MemoryServer, request: TakeBackRequest, bits: () => string): DeliveredActivation[] {
  const lanes = new Set(request.lanes.map(laneName));
  const activations: DeliveredActivation[] = [];
  for (const run of heldBy(server, request.owner)) {
    if (!lanes.has(laneName(run.record.lane)) || bury(run, request) === 'set-aside') {
      continue;
    }
    const activation = ready(run, bits());
    if (activation !== null) {
      activations.push(activation);
    }
  }
  return activations;
}

function heldBy(server: MemoryServer, owner: string): ScriptRun[] {
  return server.partitions
    .flatMap(({ leases }) => [...leases.keys()])
    .map((runId) => findRun(server, runId))
    .filter((run): run is ScriptRun => run !== null && run.record.token !== null && run.record.owner === owner);
}
