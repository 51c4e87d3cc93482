import { afterEach, describe, expect, it } from '@jest/globals';
import { rawCommand, startFaultProxy, tracked, waitUntil } from '@millrace/storage/testing';
import { FaultBench } from '../support/fault-bench.js';

const track = tracked(afterEach);

const RUNS = 30;
const STEPS = 15;

describe('Redis under load', () => {
  it.each([
    ['CLIENT KILL', async (bench: FaultBench) => void (await rawCommand({ port: bench.redis.port }, 'CLIENT', 'KILL', 'TYPE', 'normal'))],
    ['SCRIPT FLUSH', async (bench: FaultBench) => void (await rawCommand({ port: bench.redis.port }, 'SCRIPT', 'FLUSH'))],
    ['kill -9 and restart', async (bench: FaultBench) => (await bench.redis.kill(), bench.redis.restart())],
  ])('%s: no run is lost, no confirmed step executed again, no process ends', async (_, disturb) => {
    const bench = await FaultBench.open(track);
    const workers = [await bench.worker({ options: { lease: '15s' } }), await bench.worker({ options: { lease: '15s' } })];
    const runIds = await Promise.all(Array.from({ length: RUNS }, () => bench.submit('chain', { steps: STEPS })));
    for (let round = 1; round <= 5; round++) {
      await waitUntil(
        { name: `${(round * RUNS * STEPS) / 8} steps` },
        async () => (await bench.ledger({ event: 'leave' })).length >= (round * RUNS * STEPS) / 8,
      );
      await disturb(bench);
    }
    const heads = await Promise.all(runIds.map((runId) => bench.ended(runId, 60_000)));
    expect(heads.map(({ status }) => status)).toEqual(heads.map(() => 'completed'));
    expect(await bench.ledger({ event: 'enter' })).toHaveLength(RUNS * STEPS);
    expect(workers.map(({ isAlive }) => isAlive)).toEqual([true, true]);
    expect(workers.flatMap(({ said }) => said.filter(({ type }) => type === 'unhandled-rejection'))).toEqual([]);
    await bench.audit();
  });

  it('a reply lost after a commit was applied counts as one commit', async () => {
    const bench = await FaultBench.open(track);
    const proxy = await track(startFaultProxy({ target: { port: bench.redis.port } }));
    await bench.worker({ url: proxy.url });
    const lost = proxy.dropReplies((request) => request.includes(';s1;'));
    const runId = await bench.submit('chain', { steps: 4 });
    const head = await bench.ended(runId);
    expect(lost.count).toBeGreaterThanOrEqual(1);
    expect(head.revision).toBe(5);
    expect(await bench.ledger({ event: 'enter' })).toHaveLength(4);
    await bench.audit();
  });

  it('an outage longer than the block time: the worker takes work again by itself', async () => {
    const bench = await FaultBench.open(track);
    const worker = await bench.worker();
    for (const outageMs of [500, 3_000]) {
      await bench.redis.kill();
      await bench.hold(outageMs);
      await bench.redis.restart();
      const runId = await bench.submit('chain', { steps: 1 });
      expect((await bench.ended(runId, 6_000)).status).toBe('completed');
    }
    expect(worker.isAlive).toBe(true);
    await bench.audit();
  });

  it('FLUSHALL: the runs that are gone are fenced and not written back; new ones end', async () => {
    const bench = await FaultBench.open(track);
    const worker = await bench.worker();
    const lost = await bench.submit('chain', { steps: 2, hold: { at: 0, file: bench.file('go') } });
    await bench.noted({ event: 'enter', run: lost });
    await rawCommand({ port: bench.redis.port }, 'FLUSHALL');
    await bench.make('go');
    await worker.hears('claim.lost', (line) => line['runId'] === lost);
    const next = await bench.submit('chain', { steps: 2 });
    expect((await bench.ended(next)).status).toBe('completed');
    expect(await bench.storage.inspector.getRun(lost)).toBeNull();
    expect(await bench.ledger({ run: lost, step: 's1' })).toEqual([]);
    await bench.audit();
  });
});
