import { afterEach, describe, expect, it } from '@jest/globals';
import { startFaultProxy, tracked, type FaultProxy } from '../testing/index.js';
import { Bench, only } from '../testing/conformance/bench.js';
import { scripts } from './scripts.generated.js';
import { openRedisHarness, sharedRedisUrl, type RedisHarness } from '../testing/conformance/redis-harness.js';

const track = tracked(afterEach);

interface Behind {
  readonly proxy: FaultProxy;
  readonly harness: RedisHarness;
  readonly bench: Bench;
  /** The next call of this script is carried out and its reply lost; answers how many replies were lost so far. */
  readonly loseReplyOf: (script: keyof typeof scripts) => { readonly count: number };
  readonly field: (runId: string, field: string) => Promise<string | null>;
  /** Entries in all lanes of the bench. */
  readonly entries: () => Promise<number>;
}

/** A bench whose first client reaches the server through a proxy that can swallow replies. */
async function behindProxy(): Promise<Behind> {
  const proxy = await track(startFaultProxy({ target: { port: Number(new URL(sharedRedisUrl()).port) } }));
  const harness = await track(openRedisHarness({ first: { url: proxy.url } }));
  const bench = new Bench(harness);
  return {
    proxy,
    harness,
    bench,
    loseReplyOf: (script) => proxy.dropReplies((request) => request.includes(scripts[script].sha1)),
    field: (runId, field) => harness.raw.hget(harness.keys.run(runId), field),
    entries: async () => {
      const lanes = (await harness.allKeys()).filter((key) => key.includes(':ready:'));
      return (await Promise.all(lanes.map((key) => harness.raw.xlen(key)))).reduce((sum, length) => sum + length, 0);
    },
  };
}

/** The scripts are loaded first: the reply to be lost is that of the call that changes something. */
async function loadScripts({ raw }: RedisHarness): Promise<void> {
  for (const { lua } of Object.values(scripts)) await raw.script('LOAD', lua);
}

describe('a write whose reply is lost is applied once', () => {
  async function start(): Promise<Behind> {
    const behind = await behindProxy();
    await loadScripts(behind.harness);
    return behind;
  }

  it('submit: answers "created" and has one activation', async () => {
    const { bench, loseReplyOf, entries } = await start();
    const fault = loseReplyOf('submit');
    expect(await bench.submit()).toMatchObject({ outcome: 'created' });
    expect([fault.count, await entries()]).toEqual([1, 1]);
  });

  it('claim: answers the claim that it made', async () => {
    const { bench, loseReplyOf, field, entries } = await start();
    const { run } = await bench.submit();
    const activation = await bench.deliver(run.runId);
    const fault = loseReplyOf('claim');
    const held = await bench.hold(activation);
    expect(held.token).toBe(await field(run.runId, 'T'));
    expect([fault.count, await field(run.runId, 'H'), await entries()]).toEqual([1, '1', 0]);
  });

  it('renew: answers the head under the new token', async () => {
    const { bench, loseReplyOf, field } = await start();
    const held = await bench.start();
    const fault = loseReplyOf('renew');
    const head = await bench.runs.renew({ runId: held.runId, token: held.token, newToken: '1.again', leaseMs: 60_000 });
    expect(head).toMatchObject({ token: '1.again', status: 'running' });
    expect([fault.count, await field(held.runId, 'T')]).toEqual([1, '1.again']);
  });

  it('commit: answers "ok" and counts once', async () => {
    const { bench, loseReplyOf, field } = await start();
    const held = await bench.start();
    const fault = loseReplyOf('commit');
    expect(await bench.commit(held, { writes: [['0', 'x']] })).toBe('ok');
    expect([fault.count, await field(held.runId, 'R'), await field(held.runId, '0')]).toEqual([1, '1', 'x']);
  });

  it('park: answers "lost", and the run waits', async () => {
    const { bench, loseReplyOf, field } = await start();
    const held = await bench.start();
    const fault = loseReplyOf('park');
    expect(await bench.commit(held, { then: { kind: 'park', inbox: held.inbox, wakeAt: null } })).toBe('lost');
    expect([fault.count, await field(held.runId, 'S'), await field(held.runId, 'R')]).toEqual([1, 'w', '1']);
  });

  it('release: answers "lost", and there is one activation', async () => {
    const { bench, loseReplyOf, field, entries } = await start();
    const held = await bench.start();
    const fault = loseReplyOf('release');
    expect(await bench.commit(held, { then: { kind: 'release', bits: 'again' } })).toBe('lost');
    expect([fault.count, await field(held.runId, 'S'), await entries()]).toEqual([1, 'q', 1]);
  });

  it('end: answers "lost", and the run has ended', async () => {
    const { bench, loseReplyOf, field } = await start();
    const held = await bench.start();
    const fault = loseReplyOf('end');
    expect(await bench.commit(held, { then: { kind: 'end', status: 'completed', output: '1' } })).toBe('lost');
    expect([fault.count, await field(held.runId, 'S'), await field(held.runId, 'Y')]).toEqual([1, 'c', '=1']);
  });

  it('cancel of a run that nobody holds: answers "cancelled"', async () => {
    const { bench, loseReplyOf, entries } = await start();
    const { run } = await bench.submit();
    const fault = loseReplyOf('cancel');
    expect(await bench.cancel(run.runId)).toBe('cancelled');
    expect([fault.count, await entries()]).toEqual([1, 0]);
  });

  it('cancel of a run that somebody holds: answers "cancelling" and raises the inbox counter once', async () => {
    const { bench, loseReplyOf, field } = await start();
    const held = await bench.start();
    const fault = loseReplyOf('cancel');
    expect(await bench.cancel(held.runId, 'request')).toBe('cancelling');
    expect([fault.count, await field(held.runId, 'N')]).toEqual([1, '1.request']);
  });

  it('heartbeat: the claims are held', async () => {
    const { bench, loseReplyOf } = await start();
    const held = await bench.start();
    const fault = loseReplyOf('heartbeat');
    expect(await bench.runs.heartbeat({ claims: [held], leaseMs: 60_000 })).toMatchObject({ lost: [], moved: [] });
    expect(fault.count).toBe(1);
  });

  it('pump that buries: charges the death once and makes one activation', async () => {
    const { bench, loseReplyOf, field, entries } = await start();
    const held = await bench.startLapsed();
    const fault = loseReplyOf('bury');
    await bench.pump();
    expect([fault.count, await field(held.runId, 'K'), await field(held.runId, 'S'), await entries()]).toEqual([1, '1', 'q', 1]);
  });

  it('pump that fires: makes one activation', async () => {
    const { bench, loseReplyOf, field, entries } = await start();
    const held = await bench.start();
    await bench.park(held, { wakeAt: await bench.runs.now() });
    const fault = loseReplyOf('fire');
    await bench.pump();
    expect([fault.count, await field(held.runId, 'S'), await entries()]).toEqual([1, 'q', 1]);
  });

  it('read: what was delivered and not answered is delivered again', async () => {
    const { bench, harness, loseReplyOf } = await start();
    const { run } = await bench.submit();
    const reader = bench.reader();
    const fault = loseReplyOf('read');
    expect(await reader.read(10)).toEqual([]);
    await harness.timePasses(2);
    expect(only(await reader.reclaim(1, 10)).runId).toBe(run.runId);
    expect(fault.count).toBe(1);
    await reader.close();
  });

  it('announce: the worker is there', async () => {
    const { bench, loseReplyOf } = await start();
    const fault = loseReplyOf('announce');
    const worker = { incarnation: 'w.1', name: 'w', host: 'h', pid: 1, hostId: null, processStart: null, startedAt: 1, concurrency: 1 };
    await bench.first.registry.announce({ ...worker, lanes: [], tasks: [], goodbye: false }, 10_000);
    expect(await bench.first.registry.workers()).toHaveLength(1);
    expect(fault.count).toBe(1);
  });
});

describe('a list of writes over a connection that keeps breaking', () => {
  it('is applied once each', async () => {
    const { bench, proxy, entries } = await behindProxy();
    const requests = Array.from({ length: 300 }, (_, n) => bench.submission({ runId: `many-${n}` }));
    const fault = proxy.dropReplies((request) => request.includes(scripts.batch.sha1), { times: 3 });
    const answers = await bench.runs.submit(requests);
    expect(answers.map(({ outcome }) => outcome)).toEqual(requests.map(() => 'created'));
    expect([fault.count, await entries()]).toEqual([3, 300]);
  });
});
