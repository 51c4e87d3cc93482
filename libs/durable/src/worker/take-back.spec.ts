import { describe, expect, it } from '@jest/globals';
import type { WorkerAnnouncement } from '../ports/registry.js';
import { eventLog } from '../testing/event-log.js';
import type { HostFacts } from './incarnation.js';
import { takeBackClaims } from './take-back.js';
import { activationOf, sampleLane } from '../testing/worker/sample-runs.js';

const facts: HostFacts = {
  host: 'h',
  pid: 1,
  hostId: 'boot/ns',
  process: (pid) => (pid === 2 ? { kind: 'gone' } : { kind: 'alive', startedAt: '10' }),
};

const announcementOf = (incarnation: string, change: Partial<WorkerAnnouncement>): WorkerAnnouncement => ({
  incarnation,
  name: 'w',
  host: 'h',
  pid: 3,
  hostId: 'boot/ns',
  processStart: '10',
  startedAt: 1,
  concurrency: 1,
  lanes: [],
  tasks: [],
  goodbye: false,
  ...change,
});

async function takeBack(incarnations: WorkerAnnouncement[], exclusiveName = false) {
  const log = eventLog();
  const buried: string[] = [];
  const forgotten: string[] = [];
  const activations = await takeBackClaims({
    registry: { incarnations: () => Promise.resolve(incarnations), forget: async (incarnation) => void forgotten.push(incarnation) },
    store: {
      async takeBack({ owner, lanes }) {
        expect(lanes).toEqual([sampleLane]);
        buried.push(owner);
        return owner === 'w~bye' ? [] : [activationOf(`run-of-${owner}`)];
      },
    },
    name: 'w',
    incarnation: 'w~me',
    exclusiveName,
    lanes: [sampleLane],
    facts,
    activationBudget: 5,
    setAsideError: 'e',
    emit: log.emit,
  });
  return { activations: activations.map(({ runId }) => runId), buried, forgotten, events: log.events };
}

describe('takeBackClaims', () => {
  const alive = announcementOf('w~alive', {});
  const dead = announcementOf('w~dead', { pid: 2 });
  const elsewhere = announcementOf('w~elsewhere', { pid: 2, hostId: 'other/ns' });
  const bye = announcementOf('w~bye', { goodbye: true });
  const me = announcementOf('w~me', { pid: 2 });

  it('buries claims only of what is proven dead, never its own, and forgets those', async () => {
    const { activations, buried, forgotten, events } = await takeBack([me, alive, dead, elsewhere, bye]);
    expect(buried).toEqual(['w~dead', 'w~bye']);
    expect(forgotten).toEqual(['w~dead', 'w~bye']);
    expect(activations).toEqual(['run-of-w~dead']);
    expect(events).toEqual([{ type: 'claims.taken-back', count: 1, from: 'w~dead' }]);
  });

  it('takes every earlier one when the operator vouches for the name', async () => {
    expect((await takeBack([me, alive, elsewhere], true)).buried).toEqual(['w~alive', 'w~elsewhere']);
  });
});
