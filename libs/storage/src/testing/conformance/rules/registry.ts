import { describe, expect, it } from '@jest/globals';
import type { WorkerAnnouncement, WorkflowAnnouncement } from '@millrace/durable';
import { only, useBench } from '../bench.js';
import type { OpenHarness } from '../harness.js';

/** Who works here, as they said themselves. */
export function registryRules(open: OpenHarness): void {
  describe('registry', () => {
    const bench = useBench(open);
    const worker = (over: Partial<WorkerAnnouncement> = {}): WorkerAnnouncement => ({
      incarnation: 'w1.abc',
      name: 'w1',
      host: 'host-1',
      pid: 17,
      hostId: 'boot/ns',
      processStart: '4711',
      startedAt: 1_000,
      concurrency: 50,
      lanes: [{ queue: 'default', workflow: 'fulfil-order', version: 1 }],
      tasks: [{ queue: 'printing', task: 'print-label' }],
      goodbye: false,
      ...over,
    });
    const workflow = (over: Partial<WorkflowAnnouncement> = {}): WorkflowAnnouncement => ({
      workflow: 'fulfil-order',
      version: 1,
      queue: 'default',
      definitionHash: 'hash-1',
      inputSchema: { type: 'object', properties: { n: { type: 'integer' } } },
      graph: null,
      ...over,
    });

    it('shows a worker as it announced itself, and until when that holds', async () => {
      await bench().first.registry.announce(worker(), 10_000);
      const now = await bench().runs.now();
      const { expiresAt, ...shown } = only(await bench().second.registry.workers());
      expect(shown).toEqual(worker());
      expect(expiresAt).toBeGreaterThan(now);
      expect(expiresAt).toBeLessThanOrEqual(now + 10_000);
    });

    it('replaces an announcement of the same incarnation, and moves its end', async () => {
      await bench().first.registry.announce(worker(), 10_000);
      await bench().first.registry.announce(worker({ concurrency: 10, goodbye: true }), 90_000);
      const shown = only(await bench().first.registry.workers());
      expect(shown).toMatchObject({ concurrency: 10, goodbye: true });
      expect(shown.expiresAt).toBeGreaterThan((await bench().runs.now()) + 60_000);
    });

    it('keeps a worker whose time is over until it is forgotten', async () => {
      await bench().first.registry.announce(worker(), 1);
      await bench().harness.timePasses(3);
      expect(only(await bench().first.registry.workers()).expiresAt).toBeLessThan(await bench().runs.now());
      await bench().first.registry.forget('w1.abc');
      expect(await bench().first.registry.workers()).toEqual([]);
      await bench().first.registry.forget('w1.abc');
    });

    it('knows the incarnations of a name, newest first, dead or not, at most 100', async () => {
      const { registry } = bench().first;
      await registry.announce(worker({ incarnation: 'w2.x', name: 'w2' }), 10_000);
      for (let started = 0; started < 103; started += 1) {
        await registry.announce(worker({ incarnation: `w1.${started}`, startedAt: started, goodbye: started % 2 === 0 }), 10_000);
      }
      const incarnations = await registry.incarnations('w1');
      expect(incarnations.map(({ startedAt }) => startedAt)).toEqual(Array.from({ length: 100 }, (_, index) => 102 - index));
      expect(incarnations[0]).toEqual(worker({ incarnation: 'w1.102', startedAt: 102, goodbye: true }));
      expect(await registry.incarnations('nobody')).toEqual([]);
    });

    it('knows every workflow that was announced, by name, version and queue; the last announcement counts', async () => {
      const { registry } = bench().first;
      await registry.announceWorkflows([
        workflow(),
        workflow({ version: 2, inputSchema: null, graph: { nodes: [{ id: 'a', task: 't' }] } }),
      ]);
      await registry.announceWorkflows([workflow({ definitionHash: 'hash-2' }), workflow({ queue: 'other' })]);
      await registry.announceWorkflows([]);
      const shown = await bench().second.registry.workflows();
      expect(shown.map(({ version, queue, definitionHash }) => `${version} ${queue} ${definitionHash}`).sort()).toEqual([
        '1 default hash-2',
        '1 other hash-1',
        '2 default hash-1',
      ]);
      expect(shown.find(({ version }) => version === 2)).toEqual(
        workflow({ version: 2, inputSchema: null, graph: { nodes: [{ id: 'a', task: 't' }] } }),
      );
      expect(shown.find(({ queue }) => queue === 'other')).toEqual(workflow({ queue: 'other' }));
    });
  });
}
