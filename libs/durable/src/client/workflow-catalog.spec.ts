import { describe, expect, it } from '@jest/globals';
import type { WorkerAnnouncement, WorkerRegistry, WorkflowAnnouncement } from '../ports/registry.js';
import { FakeClock } from '../testing/fake-clock.js';
import { WorkflowCatalog } from './workflow-catalog.js';

function setUp() {
  const workflows: WorkflowAnnouncement[] = [];
  const tasks: string[] = [];
  let reads = 0;
  const registry: Pick<WorkerRegistry, 'workflows' | 'workers'> = {
    workflows: async () => {
      reads += 1;
      return [...workflows];
    },
    workers: async () => [
      { tasks: tasks.map((task) => ({ queue: 'default', task })) } as unknown as WorkerAnnouncement & { expiresAt: number },
    ],
  };
  const clock = new FakeClock();
  const announce = (workflow: string, version = 1, queue = 'default') =>
    workflows.push({ workflow, version, queue, definitionHash: '', inputSchema: null, graph: null });
  return { catalog: new WorkflowCatalog(registry as WorkerRegistry, clock, 1_000), clock, announce, tasks, reads: () => reads };
}

describe('WorkflowCatalog', () => {
  it('chooses the newest version, and of several queues default, else the first', async () => {
    const { catalog, announce } = setUp();
    announce('w', 2, 'b');
    announce('w', 10, 'b');
    announce('w', 10, 'a');
    expect(await catalog.resolve({ workflow: 'w' })).toMatchObject({ version: 10, queue: 'a' });
    announce('w', 10, 'default');
    expect(await catalog.resolve({ workflow: 'w', queue: 'b' })).toMatchObject({ version: 10, queue: 'b' });
    expect(await catalog.resolve({ workflow: 'w', version: 2 })).toMatchObject({ version: 2, queue: 'b' });
  });

  it('reads once a second however many ask, and a newer version is seen then', async () => {
    const { catalog, clock, announce, reads } = setUp();
    announce('w');
    await Promise.all(Array.from({ length: 50 }, () => catalog.resolve({ workflow: 'w' })));
    expect(reads()).toBe(1);
    announce('w', 2);
    expect(await catalog.resolve({ workflow: 'w' })).toMatchObject({ version: 1 });
    clock.advance(1_000);
    expect(await catalog.resolve({ workflow: 'w' })).toMatchObject({ version: 2 });
    expect(reads()).toBe(2);
  });

  it('looks anew for what it does not know before it says that it is unknown', async () => {
    const { catalog, announce, tasks } = setUp();
    announce('known');
    await catalog.resolve({ workflow: 'known' });
    announce('fresh');
    tasks.push('paint');
    expect(await catalog.resolve({ workflow: 'fresh' })).toMatchObject({ workflow: 'fresh' });
    await catalog.assertTasks(['paint']);
    await expect(catalog.resolve({ workflow: 'knwon' })).rejects.toMatchObject({ code: 'unknown_workflow', details: { near: ['known'] } });
    await expect(catalog.resolve({ workflow: 'known', version: 7 })).rejects.toMatchObject({ details: { workflow: 'known', version: 7 } });
    await expect(catalog.assertTasks(['paint', 'pint'])).rejects.toMatchObject({
      code: 'task_not_served',
      details: { task: 'pint', near: ['paint'] },
    });
  });
});
