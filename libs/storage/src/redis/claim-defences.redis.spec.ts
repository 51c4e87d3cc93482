import { describe, expect, it } from '@jest/globals';
import { useBench } from '../testing/conformance/bench.js';
import { openRedisHarness, type RedisHarness } from '../testing/conformance/redis-harness.js';

/** Records that the scripts never write, but a person, a bug or a lost write may. */
describe('a claim on a record that disagrees with itself', () => {
  const bench = useBench(() => openRedisHarness({ partitions: 1 }));
  const harness = (): RedisHarness => bench().harness as RedisHarness;
  const recordOf = (runId: string): Promise<Record<string, string>> => harness().raw.hgetall(harness().keys.run(runId));

  /** Gives a run that somebody holds an activation beside its claim. */
  async function activationBeside(runId: string): Promise<{ entryId: string; bits: string }> {
    const entryId = (await harness().raw.xadd(harness().keys.ready(0, 'default|fulfil-order|1'), '*', 'r', runId, 'b', 'forged')) ?? '';
    await harness().raw.hset(harness().keys.run(runId), 'A', `${entryId} forged`);
    return { entryId, bits: 'forged' };
  }

  it('live-lease-check: an activation beside a live claim takes nothing from the holder', async () => {
    const held = await bench().start();
    const activation = { ...(await activationBeside(held.runId)), runId: held.runId, lane: bench().lane };
    const before = await recordOf(held.runId);
    expect(await bench().claim(activation, { owner: 'other' })).toEqual({ kind: 'busy' });
    expect(await recordOf(held.runId)).toEqual(before);
    await bench().end(held);
  });

  it('bury-in-ready: a claim over a lapsed one charges its death', async () => {
    const held = await bench().startLapsed();
    const activation = { ...(await activationBeside(held.runId)), runId: held.runId, lane: bench().lane };
    const next = await bench().hold(activation, { owner: 'other' });
    expect(await bench().head(held.runId)).toMatchObject({ deadClaims: 1, owner: 'other', token: next.token });
    expect(await bench().commit(held)).toBe('lost');
  });

  it('bury-in-ready: a claim that finds the activation budget used up sets the run aside', async () => {
    const held = await bench().startLapsed();
    const activation = { ...(await activationBeside(held.runId)), runId: held.runId, lane: bench().lane };
    expect(await bench().claim(activation, { activationBudget: 1 })).toEqual({ kind: 'dropped' });
    expect(await bench().head(held.runId)).toMatchObject({ status: 'set-aside', error: 'error: killed its workers', activation: null });
    expect(await harness().first.auditor.audit()).toEqual([]);
  });

  it('ready: a run that names an activation gets no second one when its lapsed claim is buried', async () => {
    const held = await bench().startLapsed();
    const { entryId } = await activationBeside(held.runId);
    expect(await bench().pump()).toMatchObject({ activations: [] });
    expect(await harness().raw.xlen(harness().keys.ready(0, 'default|fulfil-order|1'))).toBe(1);
    expect(await bench().head(held.runId)).toMatchObject({ status: 'queued', activation: { entryId, bits: 'forged' }, token: null });
    await bench().end(await bench().hold(await bench().deliver(held.runId)));
  });

  it('a claim without a lease counts as lapsed', async () => {
    const held = await bench().start();
    await harness().raw.zrem(harness().keys.leases(0), held.runId);
    expect(await bench().cancel(held.runId)).toBe('cancelled');
    expect(await harness().first.auditor.audit()).toEqual([]);
  });
});
