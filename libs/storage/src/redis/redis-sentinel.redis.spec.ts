import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  findRedisServer,
  freePort,
  rawCommand,
  startRedis,
  testNamespace,
  tracked,
  waitUntil,
  type RedisServer,
} from '../testing/index.js';
import { RedisStorage } from './redis-storage.js';

const track = tracked(afterEach);
const lane = { queue: 'default', workflow: 'fulfil-order', version: 1 };

/** One sentinel that decides alone, in the folder of the master it watches. */
async function startSentinel(master: RedisServer): Promise<{ port: number; stop(): Promise<void> }> {
  const port = await freePort();
  const file = join(master.dir, 'sentinel.conf');
  const watch = [`monitor main 127.0.0.1 ${master.port} 1`, 'down-after-milliseconds main 500', 'failover-timeout main 5000'];
  await writeFile(file, [`port ${port}`, 'bind 127.0.0.1', ...watch.map((line) => `sentinel ${line}`), ''].join('\n'));
  const child = spawn(findRedisServer(), [file, '--sentinel'], { stdio: 'ignore' });
  await waitUntil({ name: 'the sentinel to answer' }, () =>
    rawCommand({ port }, 'PING').then(
      () => true,
      () => false,
    ),
  );
  return {
    port,
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

async function isFailoverBegun(port: number): Promise<boolean> {
  try {
    return (await rawCommand({ port }, 'SENTINEL', 'FAILOVER', 'main')) === 'OK';
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('NOGOODSLAVE')) return false;
    throw error;
  }
}

describe('a master that sentinels name', () => {
  it('is followed to the server that a failover makes the master', async () => {
    const master = await track(startRedis());
    const replica = await track(startRedis({ args: ['--replicaof', '127.0.0.1', String(master.port), '--repl-diskless-sync-delay', '0'] }));
    await waitUntil({ name: 'the replica to be in sync' }, async () =>
      (await rawCommand(replica, 'INFO', 'replication')).includes('master_link_status:up'),
    );
    const sentinel = await track(startSentinel(master));
    await waitUntil({ name: 'the sentinel to know the replica', limitMs: 15_000 }, async () =>
      (await rawCommand({ port: sentinel.port }, 'INFO', 'sentinel')).includes('slaves=1'),
    );
    const storage = await track(
      RedisStorage.open({
        sentinels: [{ host: '127.0.0.1', port: sentinel.port }],
        name: 'main',
        namespace: testNamespace(),
        giveUpMs: 20_000,
      }),
    );
    expect(storage.describe()).toMatchObject({ topology: 'sentinel' });
    await storage.runs.submit([{ runId: 'before', lane, input: '1', digest: 'd', requestId: 'r1' }]);
    await waitUntil(
      { name: 'the replica to have the run' },
      async () => (await rawCommand(replica, 'DBSIZE')) === (await rawCommand(master, 'DBSIZE')),
    );
    // A sentinel that has just found the replica does not promote it yet.
    await waitUntil({ name: 'a replica that may be promoted', limitMs: 20_000, pollMs: 200 }, () => isFailoverBegun(sentinel.port));
    // A promotion closes connections: a question that it cut is asked again.
    await waitUntil({ name: 'the failover', limitMs: 20_000 }, () =>
      rawCommand(replica, 'INFO', 'replication').then(
        (answer) => answer.includes('role:master'),
        () => false,
      ),
    );
    const [answer] = await storage.runs.submit([{ runId: 'after', lane, input: '1', digest: 'd', requestId: 'r2' }]);
    expect(answer).toMatchObject({ outcome: 'created' });
    expect(await storage.inspector.getProgress('before')).toMatchObject({ status: 'queued' });
    expect((await rawCommand(replica, 'INFO', 'keyspace')).includes('keys=')).toBe(true);
  }, 90_000);
});
