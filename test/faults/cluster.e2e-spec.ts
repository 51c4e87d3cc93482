import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { beginSlotMove, rawCommand, type RedisCluster, startRedisCluster, tracked, waitUntil } from '@millrace/storage/testing';
import { FaultBench } from '../support/fault-bench.js';
import type { FixtureProcess } from '../support/fixture-process.js';

const track = tracked(afterEach);

const PARTITIONS = 16;
const RUNS = 30;
const STEPS = 20;
/** All runs wait here until the test lets them go on. */
const HELD_STEP = 12;
const OUTAGE_MS = 2_000;
/** Longer than the outage and what a cluster needs to be whole again after it. */
const lease = '15s';

let cluster: RedisCluster;
beforeAll(async () => {
  cluster = await startRedisCluster();
}, 60_000);
afterAll(() => cluster.stop());

type ClusterBench = FaultBench<RedisCluster>;

/** Runs whose ids, and so whose partitions, are the same each time: 12 of the 16, on all three masters. */
function submitChains(bench: ClusterBench, input: object): Promise<string[]> {
  return Promise.all(Array.from({ length: RUNS }, (_, n) => bench.submit('chain', { steps: STEPS, ...input }, `chain-${n}`)));
}

async function confirmedSteps(bench: ClusterBench, count: number): Promise<void> {
  await waitUntil({ name: `${count} steps`, limitMs: 20_000 }, async () => (await bench.ledger({ event: 'leave' })).length >= count);
}

async function expectAllCompleted(bench: ClusterBench, runIds: readonly string[]): Promise<void> {
  const heads = await Promise.all(runIds.map((runId) => bench.ended(runId, 40_000)));
  expect(heads.map(({ status }) => status)).toEqual(heads.map(() => 'completed'));
}

function expectNoFaults(workers: readonly FixtureProcess[]): void {
  expect(workers.map(({ isAlive }) => isAlive)).toEqual(workers.map(() => true));
  expect(workers.flatMap(({ said }) => said.filter(({ type }) => type === 'unhandled-rejection'))).toEqual([]);
}

describe('a cluster of three masters under load', () => {
  it('kill -9 of a worker, CLIENT KILL, a master that stands still: every run ends, no confirmed step is executed again', async () => {
    const bench = await FaultBench.on(cluster, track, { partitions: PARTITIONS });
    const victim = await bench.worker({ options: { lease, name: 'victim' } });
    const other = await bench.worker({ options: { lease, name: 'other' } });
    const runIds = await submitChains(bench, { hold: { at: HELD_STEP, file: bench.file('go') } });

    await confirmedSteps(bench, RUNS * 3);
    await victim.kill();
    // Proves that its predecessor is dead and takes its claims at once.
    const successor = await bench.worker({ options: { lease, name: 'victim' } });

    await confirmedSteps(bench, RUNS * 6);
    await rawCommand({ port: cluster.nodes[0]?.port ?? 0 }, 'CLIENT', 'KILL', 'TYPE', 'normal');

    const isHeld = async () => new Set((await bench.ledger({ event: 'enter', step: `s${HELD_STEP}` })).map(({ run }) => run)).size === RUNS;
    await waitUntil({ name: `${RUNS} held runs`, limitMs: 30_000 }, isHeld);
    const stopped = cluster.servers[1];
    await stopped?.pause();
    await bench.make('go');
    await bench.hold(OUTAGE_MS);
    stopped?.resume();

    await expectAllCompleted(bench, runIds);
    const entries = new Map<string, number[]>();
    for (const { run, step, pid } of await bench.ledger({ event: 'enter' })) {
      entries.set(`${run} ${step}`, [...(entries.get(`${run} ${step}`) ?? []), pid]);
    }
    expect(entries.size).toBe(RUNS * STEPS);
    // Only what was under way in the killed process, unconfirmed, was entered a second time.
    const repeated = [...entries.values()].filter((pids) => pids.length > 1);
    expect(repeated.map((pids) => pids.slice(0, -1))).toEqual(repeated.map(() => [victim.pid]));
    expectNoFaults([other, successor]);
    await bench.audit();
  });

  it('heartbeats keep claims on every partition for longer than the lease', async () => {
    const bench = await FaultBench.on(cluster, track, { partitions: PARTITIONS });
    const worker = await bench.worker();
    const runIds = await submitChains(bench, { steps: 2, hold: { at: 0, file: bench.file('go') } });
    await waitUntil({ name: `${RUNS} held runs` }, async () => (await bench.ledger({ event: 'enter' })).length === RUNS);
    await bench.outlast(runIds[0] ?? '', 4_000);
    await bench.make('go');
    await expectAllCompleted(bench, runIds);
    expect(await bench.ledger({ event: 'enter' })).toHaveLength(RUNS * 2);
    expectNoFaults([worker]);
    await bench.audit();
  });

  it('a partition moves to another master while its runs go on', async () => {
    const bench = await FaultBench.on(cluster, track, { partitions: PARTITIONS });
    const workers = [await bench.worker({ options: { lease } }), await bench.worker({ options: { lease } })];
    const runIds = await submitChains(bench, { steps: 60 });
    await confirmedSteps(bench, RUNS * 5);
    const prefix = `{${bench.namespace}:8}:`;
    const move = await beginSlotMove(cluster, prefix);
    await confirmedSteps(bench, RUNS * 10);
    const moved = await move.migrateKeys();
    await move.finish();
    expect(moved).toEqual(expect.arrayContaining([`${prefix}run:chain-1`, `${prefix}run:chain-12`, `${prefix}run:chain-21`]));
    await expectAllCompleted(bench, runIds);
    expect(await bench.ledger({ event: 'enter' })).toHaveLength(RUNS * 60);
    const late = await bench.submit('chain', { steps: 2 }, 'chain-1-again');
    expect((await bench.ended(late)).status).toBe('completed');
    expectNoFaults(workers);
    await bench.audit();
  });
});
