import { describe, expect, it } from '@jest/globals';
import type { WorkerAnnouncement, WorkerRegistry, WorkflowAnnouncement } from '../ports/registry.js';
import { eventLog } from '../testing/event-log.js';
import { FakeClock } from '../testing/fake-clock.js';
import { fixedRandomness } from '../testing/fixed-randomness.js';
import { Announcer } from './announcer.js';
import { announcementOf } from './served.js';
import { sampleWorkflow } from '../testing/worker/sample-runs.js';

const worker = { incarnation: 'w~1', name: 'w', goodbye: false } as WorkerAnnouncement;
const workflows = [announcementOf(sampleWorkflow)];

function announcerWith() {
  const clock = new FakeClock();
  const log = eventLog();
  const announced: Array<Readonly<{ worker: WorkerAnnouncement; ttlMs: number }>> = [];
  const known = new Map<string, WorkflowAnnouncement>();
  let isDown = false;
  const registry: WorkerRegistry = {
    async announce(announcement, ttlMs) {
      if (isDown) throw new Error('away');
      announced.push({ worker: announcement, ttlMs });
    },
    async announceWorkflows(all) {
      for (const each of all) known.set(each.workflow, each);
    },
    workers: () => Promise.resolve([]),
    incarnations: () => Promise.resolve([]),
    forget: () => Promise.resolve(),
    workflows: () => Promise.resolve([...known.values()]),
  };
  const announcer = new Announcer({ registry, worker, workflows, clock, random: fixedRandomness(), emit: log.emit });
  return { clock, log, announced, known, announcer, setDown: (next: boolean) => (isDown = next) };
}

describe('Announcer', () => {
  it('announces worker and workflows, then the worker again well before it is forgotten', async () => {
    const { announcer, announced, known, clock } = announcerWith();
    await announcer.announce();
    expect(known.get('sample')).toMatchObject({ version: 1, queue: 'default' });
    announcer.start();
    await clock.advanceInTurns(30_000);
    expect(announced).toHaveLength(4);
    expect(announced[0]).toEqual({ worker, ttlMs: 30_000 });
    await announcer.stop();
  });

  it('announces workflows again only when they are missing: an old worker must not overwrite a new definition', async () => {
    const { announcer, known, clock } = announcerWith();
    await announcer.announce();
    const newer = { ...(workflows[0] as WorkflowAnnouncement), definitionHash: 'newer' };
    known.set('sample', newer);
    announcer.start();
    await clock.advanceInTurns(60_000);
    expect(known.get('sample')).toBe(newer);
    known.clear();
    await clock.advanceInTurns(60_000);
    expect(known.get('sample')).toEqual(workflows[0]);
    await announcer.stop();
  });

  it('does not hide that the first announcement failed, and survives a later failure', async () => {
    const { announcer, setDown, clock, log, announced } = announcerWith();
    setDown(true);
    await expect(announcer.announce()).rejects.toThrow('away');
    announcer.start();
    await clock.advanceInTurns(12_000);
    setDown(false);
    await clock.advanceInTurns(5000);
    expect(log.events.map(({ type }) => type)).toEqual(['loop.failed', 'loop.recovered']);
    expect(announced.length).toBeGreaterThan(0);
    await announcer.stop();
  });

  it('says goodbye', async () => {
    const { announcer, announced } = announcerWith();
    await announcer.sayGoodbye();
    expect(announced[0]?.worker.goodbye).toBe(true);
  });

  it('starts and stops a hundred times', async () => {
    const { announcer, clock, announced } = announcerWith();
    for (let round = 1; round <= 100; round++) {
      announcer.start();
      await clock.advanceInTurns(10_000);
      await announcer.stop();
      expect([announced.length, clock.pendingCount]).toEqual([round, 0]);
    }
  });
});

describe('announcementOf', () => {
  it('hashes equal definitions alike and different ones apart', () => {
    const schema = (inputSchema: unknown) => announcementOf({ ...sampleWorkflow, inputSchema }).definitionHash;
    expect(schema({ a: 1, b: [{ c: 1, d: 2 }] })).toBe(schema({ b: [{ d: 2, c: 1 }], a: 1 }));
    expect(schema({ a: 1 })).not.toBe(schema({ a: 2 }));
    expect(announcementOf({ ...sampleWorkflow, version: 2 }).definitionHash).not.toBe(announcementOf(sampleWorkflow).definitionHash);
  });
});
