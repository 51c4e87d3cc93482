import type { EventSink } from '../core/events.js';
import type { Lane } from '../core/lane.js';
import type { WorkerRegistry } from '../ports/registry.js';
import type { DeliveredActivation, RunStore } from '../ports/run-store.js';
import { type HostFacts, isProvenDead } from './incarnation.js';

export interface TakeBackParams {
  readonly registry: Pick<WorkerRegistry, 'incarnations' | 'forget'>;
  readonly store: Pick<RunStore, 'takeBack'>;
  readonly name: string;
  /** The one that starts now: never its own predecessor. */
  readonly incarnation: string;
  readonly exclusiveName: boolean;
  readonly lanes: readonly Lane[];
  readonly facts: HostFacts;
  readonly activationBudget: number;
  readonly setAsideError: string;
  readonly emit: EventSink;
}

/**
 * Buries the claims of earlier incarnations of this name that are proven dead, without waiting for their leases, and
 * forgets those incarnations. Answers the activations that this made, which are in their lanes already.
 */
export async function takeBackClaims(params: TakeBackParams): Promise<DeliveredActivation[]> {
  const { registry, store, facts, exclusiveName, lanes, activationBudget, setAsideError, emit } = params;
  const earlier = (await registry.incarnations(params.name)).filter(({ incarnation }) => incarnation !== params.incarnation);
  const activations: DeliveredActivation[] = [];
  for (const announcement of earlier) {
    if (!isProvenDead(announcement, facts, exclusiveName)) continue;
    const owner = announcement.incarnation;
    const taken = await store.takeBack({ owner, lanes, activationBudget, setAsideError });
    activations.push(...taken);
    if (taken.length > 0) emit({ type: 'claims.taken-back', count: taken.length, from: owner });
    await registry.forget(owner);
  }
  return activations;
}
