import { describe, expect, it } from '@jest/globals';
import { useBench } from '../../testing/conformance/bench.js';
import { openRedisHarness, type RedisHarness } from '../../testing/conformance/redis-harness.js';
import type { Fault, Finding } from './faults.js';

describe('the auditor', () => {
  const bench = useBench(() => openRedisHarness({ partitions: 4 }));
  const harness = (): RedisHarness => bench().harness as RedisHarness;
  const { raw, keys } = { raw: () => harness().raw, keys: () => harness().keys };
  const audit = (): Promise<Finding[]> => harness().first.auditor.audit();
  const repair = (): Promise<Finding[]> => harness().first.auditor.audit({ repair: true });
  const partitionOf = (runId: string): number => keys().partitionOf(runId);
  const lane = (runId: string): string => keys().ready(partitionOf(runId), 'default|fulfil-order|1');
  const index = (runId: string, indexClass: 'active' | 'waiting' | 'completed'): string =>
    keys().index(partitionOf(runId), 'fulfil-order', indexClass);

  /** Finds exactly this fault of a run, mends it, and finds nothing after that. */
  async function expectMended(runId: string, ...faults: Fault[]): Promise<void> {
    const found = await audit();
    expect([...new Set(found.filter((one) => one.runId === runId).map(({ fault }) => fault))].sort()).toEqual([...faults].sort());
    expect(found.every(({ repairable }) => repairable)).toBe(true);
    await repair();
    expect(await audit()).toEqual([]);
  }

  /** The run can be claimed and ended by somebody. */
  async function expectToGoOn(runId: string): Promise<void> {
    const held = await bench().hold(await bench().deliver(runId));
    await bench().end(held);
    expect(await audit()).toEqual([]);
  }

  it('finds nothing in a namespace in which everything happened', async () => {
    const held = await bench().start();
    const parked = await bench().start();
    await bench().park(parked, { wakeAt: (await bench().runs.now()) + 60_000 });
    await bench().end(await bench().start());
    await bench().cancel((await bench().submit()).run.runId);
    await bench().release(await bench().start());
    await bench().deliverAll();
    await bench().cancel(held.runId);
    await bench().startLapsed();
    await harness().first.ping();
    expect(await audit()).toEqual([]);
  });

  it('claim without lease: buried and ready again', async () => {
    const held = await bench().start();
    await raw().zrem(keys().leases(partitionOf(held.runId)), held.runId);
    await expectMended(held.runId, 'claim-without-lease');
    expect(await bench().head(held.runId)).toMatchObject({ status: 'queued', token: null, deadClaims: 1 });
    await expectToGoOn(held.runId);
  });

  it('running without claim: ready again', async () => {
    const held = await bench().start();
    await raw().hdel(keys().run(held.runId), 'T');
    await expectMended(held.runId, 'orphan-entry-of-a-list', 'running-without-claim');
    await expectToGoOn(held.runId);
  });

  it('queued without an activation: ready again', async () => {
    const { run } = await bench().submit();
    await raw().hdel(keys().run(run.runId), 'A');
    const found = await audit();
    expect(found.map(({ fault }) => fault).sort()).toEqual(['orphan-activation', 'queued-without-activation']);
    await repair();
    expect(await audit()).toEqual([]);
    await expectToGoOn(run.runId);
  });

  it.each(['deleted', 'acknowledged', 'trimmed', 'dropped with its lane'])('activation %s by hand: ready again', async (how) => {
    const { run } = await bench().submit();
    const { entryId } = await bench().deliver(run.runId);
    const key = lane(run.runId);
    if (how === 'deleted') await raw().xdel(key, entryId);
    if (how === 'acknowledged') await raw().xack(key, 'g', entryId);
    if (how === 'trimmed') await raw().xtrim(key, 'MAXLEN', 0);
    if (how === 'dropped with its lane') await raw().del(key);
    const found = (await audit()).filter(({ runId }) => runId === run.runId).map(({ fault }) => fault);
    expect(found).toEqual(['activation-lost']);
    await repair();
    await repair();
    expect(await audit()).toEqual([]);
    await expectToGoOn(run.runId);
  });

  it('an activation that a destroyed group had delivered is not lost: the group is made again at the beginning', async () => {
    const { run } = await bench().submit();
    await bench().deliver(run.runId);
    await raw().xgroup('DESTROY', lane(run.runId), 'g');
    expect(await audit()).toEqual([]);
    await expectToGoOn(run.runId);
  });

  it('waiting without its timer: set again', async () => {
    const held = await bench().start();
    const wakeAt = (await bench().runs.now()) + 60_000;
    await bench().park(held, { wakeAt });
    await raw().zrem(keys().timers(partitionOf(held.runId)), held.runId);
    await expectMended(held.runId, 'waiting-without-timer');
    expect(await raw().zscore(keys().timers(partitionOf(held.runId)), held.runId)).toBe(String(wakeAt));
  });

  it.each(['gone', 'no number'])('waiting without a due time (%s): queued', async (how) => {
    const held = await bench().start();
    await bench().park(held, { wakeAt: (await bench().runs.now()) + 60_000 });
    if (how === 'gone') await raw().hdel(keys().run(held.runId), 'U');
    else await raw().hset(keys().run(held.runId), 'U', 'soon');
    await repair();
    expect(await audit()).toEqual([]);
    expect(await bench().head(held.runId)).toMatchObject({ status: 'queued', wakeAt: null });
    await expectToGoOn(held.runId);
  });

  it.each([
    ['C', 'long ago'],
    ['R', 'many'],
    ['X', 'stop'],
  ])('a value of the head that is none (%s): set aside, also while somebody holds it', async (field, value) => {
    const [held, parked] = [await bench().start(), await bench().start()];
    await bench().park(parked, { wakeAt: (await bench().runs.now()) + 60_000 });
    for (const { runId } of [held, parked]) await raw().hset(keys().run(runId), field, value);
    expect(new Set((await repair()).map(({ fault }) => fault))).toEqual(new Set(['unreadable-record']));
    expect(await audit()).toEqual([]);
    for (const { runId } of [held, parked]) expect(await bench().head(runId)).toMatchObject({ status: 'set-aside', token: null });
  });

  it('a value of the head that is none in a run that ended: left as it is', async () => {
    const held = await bench().start();
    await bench().end(held);
    await raw().hset(keys().run(held.runId), 'C', 'long ago');
    expect(await repair()).toEqual([]);
    expect(await bench().head(held.runId)).toMatchObject({ status: 'completed' });
  });

  it('an owner whose revision is no number is not told to renew for ever', async () => {
    const held = await bench().start();
    await raw().hset(keys().run(held.runId), 'R', 'many');
    expect(await bench().runs.renew({ ...held, newToken: '1.new', leaseMs: 1_000 })).toBe('lost');
  });

  it('an index of another type stops the end of a run before anything of it has changed', async () => {
    const held = await bench().start();
    await raw().set(index(held.runId, 'completed'), 'no index');
    await expect(bench().commit(held, { then: { kind: 'end', status: 'completed', output: '1' } })).rejects.toThrow('WRONGTYPE');
    await raw().del(index(held.runId, 'completed'));
    expect(await audit()).toEqual([]);
    await bench().end(held);
  });

  it('an index of another type takes from no run its way forward', async () => {
    const [lapsed, parked] = [await bench().startLapsed(), await bench().start()];
    await bench().park(parked, { wakeAt: await bench().runs.now() });
    const spoiled = [lapsed, parked].flatMap(({ runId }) => [index(runId, 'active'), index(runId, 'waiting')]);
    for (const key of spoiled) {
      await raw().del(key);
      await raw().set(key, 'no index');
    }
    await expect(bench().pump()).rejects.toThrow('WRONGTYPE');
    for (const key of spoiled) await raw().del(key);
    expect((await bench().pump()).activations.map(({ runId }) => runId).sort()).toEqual([lapsed.runId, parked.runId].sort());
    expect(await audit()).toEqual([]);
  });

  it('waiting with a timer at another instant: set as the record says', async () => {
    const held = await bench().start();
    await bench().park(held, { wakeAt: (await bench().runs.now()) + 60_000 });
    await raw().zadd(keys().timers(partitionOf(held.runId)), 99_999_999_999_999, held.runId);
    await expectMended(held.runId, 'waiting-without-timer');
  });

  it('a claim beside an activation: the claim goes on', async () => {
    const held = await bench().start();
    const entryId = await raw().xadd(lane(held.runId), '*', 'r', held.runId, 'b', 'bits');
    await raw().hset(keys().run(held.runId), 'A', `${entryId} bits`);
    expect((await audit()).map(({ fault }) => fault)).toEqual(['claim-beside-activation']);
    await repair();
    await repair();
    expect(await audit()).toEqual([]);
    await bench().end(held);
  });

  it('a claim of a run that does not run: the status follows the claim', async () => {
    const held = await bench().start();
    await raw().hset(keys().run(held.runId), 'S', 'q');
    await expectMended(held.runId, 'claim-of-a-run-that-does-not-run');
    await bench().end(held);
  });

  it('waiting beside an activation: queued', async () => {
    const held = await bench().start();
    await bench().park(held, { wakeAt: (await bench().runs.now()) + 60_000 });
    const entryId = await raw().xadd(lane(held.runId), '*', 'r', held.runId, 'b', 'bits');
    await raw().hset(keys().run(held.runId), 'A', `${entryId} bits`);
    await expectMended(held.runId, 'waiting-beside-activation');
    await expectToGoOn(held.runId);
  });

  it('an ended run with a claim: the claim is taken out', async () => {
    const held = await bench().start();
    await bench().end(held);
    await raw().hset(keys().run(held.runId), 'T', '9.x');
    await raw().zadd(keys().leases(partitionOf(held.runId)), 1, held.runId);
    await expectMended(held.runId, 'ended-run-with-a-way-forward', 'orphan-entry-of-a-list');
    expect(await bench().head(held.runId)).toMatchObject({ status: 'completed', token: null });
  });

  it('leases, timers and index entries of runs that are gone: removed', async () => {
    await bench().submit();
    await raw().zadd(keys().leases(0), 1, 'gone');
    await raw().zadd(keys().timers(1), 1, 'gone');
    await raw().zadd(keys().index(2, 'fulfil-order', 'completed'), 1, 'gone');
    expect((await audit()).map(({ fault, runId }) => `${fault} ${runId}`)).toEqual(
      Array.from({ length: 3 }, () => 'orphan-entry-of-a-list gone'),
    );
    await repair();
    expect(await audit()).toEqual([]);
  });

  it('activations of runs that are gone, that name another, and that name none: removed', async () => {
    const { run } = await bench().submit();
    const key = lane(run.runId);
    await raw().xadd(key, '*', 'r', 'gone', 'b', 'x');
    await raw().xadd(key, '*', 'r', run.runId, 'b', 'not-its-own');
    await raw().xadd(key, '*', 'unheard', 'of');
    expect((await audit()).map(({ fault }) => fault)).toEqual(['orphan-activation', 'orphan-activation', 'orphan-activation']);
    await repair();
    expect(await audit()).toEqual([]);
    await expectToGoOn(run.runId);
  });

  it('a run in the wrong index, in two, and in none: put right', async () => {
    const { run } = await bench().submit();
    await raw().zadd(index(run.runId, 'completed'), 1, run.runId);
    await expectMended(run.runId, 'wrong-index');
    await raw().zrem(index(run.runId, 'active'), run.runId);
    await expectMended(run.runId, 'wrong-index');
    await raw().zrem(index(run.runId, 'active'), run.runId);
    await raw().zadd(index(run.runId, 'waiting'), 1, run.runId);
    await expectMended(run.runId, 'wrong-index');
    expect((await bench().first.inspector.list({ limit: 5, status: 'queued' })).runs).toHaveLength(1);
  });

  it('a run in the index of another workflow: taken out of it', async () => {
    const { run } = await bench().submit();
    await raw().zadd(keys().index(partitionOf(run.runId), 'other', 'active'), 1, run.runId);
    expect((await audit()).map(({ fault }) => fault)).toEqual(['orphan-entry-of-a-list']);
    await repair();
    expect(await audit()).toEqual([]);
  });

  it('a workflow whose name was lost: named again', async () => {
    const { run } = await bench().submit();
    await raw().del(keys().names(partitionOf(run.runId)));
    await expectMended(run.runId, 'workflow-without-a-name');
  });

  it.each(['S', 'F'])('a record without its field %s: set aside with the reason', async (field) => {
    const held = await bench().start();
    await raw().hdel(keys().run(held.runId), field);
    await expectMended(held.runId, 'unreadable-record');
    expect(await bench().head(held.runId)).toMatchObject({ status: 'set-aside', token: null, error: expect.stringContaining('broken') });
    expect(await bench().cancel(held.runId)).toBe('cancelled');
  });

  it('a record of another type: reported, and out of the way of the pump', async () => {
    const held = await bench().startLapsed();
    await bench().harness.breakRecord(held.runId, 'not-a-record');
    const found = (await repair()).filter(({ runId }) => runId === held.runId);
    expect(found).toMatchObject([{ fault: 'destroyed-record', repairable: false }]);
    expect(await raw().zscore(keys().leases(partitionOf(held.runId)), held.runId)).toBeNull();
    expect((await bench().first.inspector.list({ limit: 5 })).runs).toMatchObject([{ broken: expect.any(String) }]);
  });

  it('keys that are none of ours, of another type, or in another partition: reported', async () => {
    const { run } = await bench().submit();
    const elsewhere = (partitionOf(run.runId) + 1) % 4;
    await raw().set(`${keys().prefix(0)}unheard`, 'x');
    await raw().set(keys().timers((elsewhere + 1) % 4), 'x');
    await raw().hset(`${keys().prefix(elsewhere)}run:${run.runId}`, 'F', '1');
    const found = await audit();
    expect(found.map(({ fault }) => fault).sort()).toEqual(['run-of-another-partition', 'unknown-key', 'wrong-type']);
    expect(found.some(({ repairable }) => repairable)).toBe(false);
  });

  it('a repair leaves alone what became right between the look and the repair', async () => {
    const { run } = await bench().submit();
    await raw().hdel(keys().run(run.runId), 'A');
    expect((await audit()).length).toBeGreaterThan(0);
    await bench().cancel(run.runId);
    await repair();
    expect(await bench().head(run.runId)).toMatchObject({ status: 'cancelled', activation: null });
  });
});

describe('the sweep of records', () => {
  const bench = useBench(() => openRedisHarness({ partitions: 4 }));
  const harness = (): RedisHarness => bench().harness as RedisHarness;

  it('finds and mends every run within a round of calls, and says what it did', async () => {
    const runIds = Array.from({ length: 450 }, (_, n) => `swept-${n}`);
    await bench().runs.submit(runIds.map((runId) => bench().submission({ runId })));
    const { raw, keys } = harness();
    for (const runId of runIds.slice(0, 40)) await raw.hdel(keys.run(runId), 'A');
    const swept = [];
    for (let call = 0; call < 10; call += 1) swept.push(...(await harness().first.sweepRecords()));
    expect(new Set(swept.map(({ runId }) => runId))).toEqual(new Set(runIds.slice(0, 40)));
    expect(swept[0]).toEqual({ runId: expect.any(String), fault: 'queued-without-activation', repair: 'the run was made ready' });
    expect(swept).toHaveLength(40);
  });

  it('looks at a bounded number in one call', async () => {
    await bench().runs.submit(Array.from({ length: 1_000 }, (_, n) => bench().submission({ runId: `bounded-${n}` })));
    const { raw, keys } = harness();
    for (let n = 0; n < 1_000; n += 1) await raw.hdel(keys.run(`bounded-${n}`), 'A');
    const once = await harness().first.sweepRecords();
    expect(once.length).toBeGreaterThan(100);
    expect(once.length).toBeLessThan(600);
  });

  it('does nothing and ends on an empty namespace', async () => {
    expect(await harness().first.sweepRecords()).toEqual([]);
  });

  it('passes an index that holds another type', async () => {
    const { run } = await bench().submit();
    const { raw, keys } = harness();
    await raw.hdel(keys.run(run.runId), 'A');
    await raw.sadd(keys.names((keys.partitionOf(run.runId) + 3) % 4), 'broken');
    await raw.set(keys.index((keys.partitionOf(run.runId) + 3) % 4, 'broken', 'active'), 'x');
    const swept = [];
    for (let call = 0; call < 3; call += 1) swept.push(...(await harness().first.sweepRecords()));
    expect(swept.map(({ runId }) => runId)).toEqual([run.runId]);
  });
});
