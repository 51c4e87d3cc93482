import { afterEach, describe, expect, it } from '@jest/globals';
import { systemRandomness } from '@millrace/durable';
import { rawCommand, tracked, waitUntil } from '@millrace/storage/testing';
import { FaultBench } from '../support/fault-bench.js';

const track = tracked(afterEach);

const cancel = (bench: FaultBench, runId: string) =>
  bench.storage.runs.cancel({ runId, requestId: systemRandomness.bits64(), reason: 'test' });

describe('timers', () => {
  it('100 parked runs wake while connections are cut and Redis is killed and restarted', async () => {
    const bench = await FaultBench.open(track, { partitions: 4 });
    const options = { linger: '0s', lease: '15s' };
    await bench.worker({ options });
    await bench.worker({ options });
    const runIds = await Promise.all(Array.from({ length: 100 }, (_, i) => bench.submit('naps', { ms: 1_000 + 20 * i, count: 2 })));
    await waitUntil({ name: 'parked runs' }, async () =>
      (await bench.storage.inspector.counts()).some(({ status, count }) => status === 'waiting' && count > 50),
    );
    for (let cut = 0; cut < 6; cut++) {
      await rawCommand({ port: bench.redis.port }, 'CLIENT', 'KILL', 'TYPE', 'normal');
      if (cut === 3) {
        await bench.redis.kill();
        await bench.redis.restart();
      }
      await bench.hold(300);
    }
    for (const runId of runIds) expect((await bench.ended(runId)).status).toBe('completed');
    expect(await bench.ledger({ event: 'enter' })).toHaveLength(100);
    await bench.audit();
  });

  it('a long backoff waits in the timers and not in a pending list; the attempt starts once', async () => {
    const bench = await FaultBench.open(track);
    const first = await bench.worker({ options: { linger: '0s' } });
    await bench.worker({ options: { linger: '0s' } });
    const runId = await bench.submit('failing', { delay: '3s' });
    await waitUntil({ name: 'the parked run' }, async () => (await bench.head(runId)).status === 'waiting');
    await first.kill();
    expect((await bench.ended(runId)).status).toBe('failed');
    expect((await bench.ledger({ event: 'enter' })).map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    await bench.audit();
  });
});

describe('attempts', () => {
  it('are counted alike however a run is picked up: 60 failing runs, one place, three starts each', async () => {
    const bench = await FaultBench.open(track);
    await bench.worker({ options: { concurrency: 1 } });
    const runIds = await Promise.all(Array.from({ length: 60 }, () => bench.submit('failing', { delay: 0 })));
    for (const runId of runIds) expect((await bench.ended(runId)).status).toBe('failed');
    for (const runId of runIds)
      expect((await bench.ledger({ event: 'enter', run: runId })).map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    await bench.audit();
  });

  it('a function that never returns loses its place in the end: what waits behind it is executed', async () => {
    const bench = await FaultBench.open(track);
    await bench.worker({ options: { concurrency: 2, abandon: '2s' } });
    const stuck = await Promise.all([bench.submit('stuck', {}), bench.submit('stuck', {})]);
    for (const runId of stuck) expect((await bench.ended(runId)).status).toBe('failed');
    const others = await Promise.all(Array.from({ length: 20 }, () => bench.submit('chain', { steps: 2 })));
    for (const runId of others) expect((await bench.ended(runId)).status).toBe('completed');
    await bench.audit();
  });
});

describe('cancel', () => {
  it('takes effect within a second while the run is queued, sleeps, waits for its next attempt or runs', async () => {
    const bench = await FaultBench.open(track);
    const queued = await bench.submit('chain', { steps: 1 });
    expect(await cancel(bench, queued)).toBe('cancelled');
    await bench.worker({ options: { linger: '10s' } });
    const parking = await bench.submit('naps', { ms: 60_000, count: 1 });
    const held = await bench.submit('naps', { ms: 5_000, count: 1 });
    const retrying = await bench.submit('failing', { delay: '8s' });
    const running = await bench.submit('patient', { file: bench.file('never') });
    await bench.noted({ event: 'enter', run: running });
    await bench.noted({ event: 'enter', run: retrying });
    await waitUntil({ name: 'the parked run' }, async () => (await bench.head(parking)).status === 'waiting');
    const cancelledAt = performance.now();
    for (const runId of [parking, held, retrying, running]) expect(['cancelled', 'cancelling']).toContain(await cancel(bench, runId));
    for (const runId of [parking, held, retrying, running]) expect((await bench.ended(runId, 5_000)).status).toBe('cancelled');
    expect(performance.now() - cancelledAt).toBeLessThan(4_000);
    expect(await bench.ledger({ event: 'enter', run: queued })).toEqual([]);
    expect(await bench.ledger({ event: 'enter', run: retrying })).toHaveLength(1);
    await bench.audit();
  });

  it('racing with failing attempts is never lost: 60 runs, no start after the answer but one under way', async () => {
    const bench = await FaultBench.open(track);
    await bench.worker();
    const runIds = await Promise.all(Array.from({ length: 60 }, () => bench.submit('failing', { delay: 20 })));
    await Promise.all(
      runIds.map(async (runId, i) => {
        await waitUntil({ name: `a moment for run ${i}`, pollMs: 5 }, () => performance.now() % 40 > i % 40);
        await cancel(bench, runId);
      }),
    );
    const statuses = new Set<string>();
    for (const runId of runIds) statuses.add((await bench.ended(runId)).status);
    expect([...statuses].every((status) => status === 'cancelled' || status === 'failed')).toBe(true);
    expect(statuses.has('cancelled')).toBe(true);
    await bench.audit();
  });
});
