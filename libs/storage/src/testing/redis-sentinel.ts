import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import { rawCommand } from './raw-command.js';
import { findRedisServer } from './redis-executable.js';
import { startRedis, type RedisServer } from './redis-server.js';
import { waitUntil } from './wait-until.js';

/** A master, its replica and a sentinel that watches them; the processes belong to a test. */
export interface ReplicatedRedis {
  /** The address of whichever is the master, as API and workers take it. */
  readonly url: string;
  readonly sentinel: { readonly host: string; readonly port: number };
  readonly masterName: string;
  /** The master at the start. */
  readonly first: RedisServer;
  /** The replica at the start. */
  readonly second: RedisServer;
  /** Kills the master, and answers when the sentinel has made the replica the master. What was not replicated is lost. */
  loseMaster(): Promise<void>;
  /** Waits until the replica has every key. */
  replicated(): Promise<void>;
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';
const MASTER_NAME = 'main';
/** A busy machine does not answer at once either: short of this it is no failure. */
const DOWN_AFTER_MS = 2_000;
const SYNC_LIMIT_MS = 15_000;
const FAILOVER_LIMIT_MS = 30_000;

/** @throws Error when a process does not start or the replica does not get in sync in 15 s; nothing is left running */
export async function startReplicatedRedis(): Promise<ReplicatedRedis> {
  const started: Array<{ stop(): Promise<void> }> = [];
  const keep = async <T extends { stop(): Promise<void> }>(starting: Promise<T>): Promise<T> => {
    const one = await starting;
    started.push(one);
    return one;
  };
  const stop = async (): Promise<void> => {
    for (const one of started.splice(0).reverse()) await one.stop();
  };
  try {
    const first = await keep(startRedis());
    const second = await keep(startRedis({ args: ['--replicaof', HOST, String(first.port), '--repl-diskless-sync-delay', '0'] }));
    await told(second.port, 'replication', 'master_link_status:up');
    const { port } = await keep(startSentinel(first));
    await told(port, 'sentinel', 'slaves=1');
    return {
      url: `redis+sentinel://${HOST}:${port}/${MASTER_NAME}`,
      sentinel: { host: HOST, port },
      masterName: MASTER_NAME,
      first,
      second,
      stop,
      async loseMaster() {
        await first.kill();
        await told(second.port, 'replication', 'role:master', FAILOVER_LIMIT_MS);
      },
      async replicated() {
        await waitUntil({ name: 'the replica to have every key' }, async () => {
          const [ofFirst, ofSecond] = await Promise.all([first, second].map((server) => rawCommand(server, 'DBSIZE')));
          return ofFirst === ofSecond;
        });
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** One sentinel that decides alone, in the folder of the master it watches. */
async function startSentinel(master: RedisServer): Promise<{ port: number; stop(): Promise<void> }> {
  const port = await freePort();
  const file = join(master.dir, 'sentinel.conf');
  const watch = [
    `monitor ${MASTER_NAME} ${HOST} ${master.port} 1`,
    `down-after-milliseconds ${MASTER_NAME} ${DOWN_AFTER_MS}`,
    `failover-timeout ${MASTER_NAME} 5000`,
  ];
  await writeFile(file, [`port ${port}`, `bind ${HOST}`, ...watch.map((line) => `sentinel ${line}`), ''].join('\n'));
  const child = spawn(findRedisServer(), [file, '--sentinel'], { stdio: 'ignore' });
  const stop = async (): Promise<void> => {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  try {
    await waitUntil({ name: 'the sentinel to answer' }, () =>
      rawCommand({ port }, 'PING').then(
        () => true,
        () => false,
      ),
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return { port, stop };
}

async function told(port: number, section: string, text: string, limitMs = SYNC_LIMIT_MS): Promise<void> {
  await waitUntil({ name: `"${text}" from the server on port ${port}`, limitMs }, () =>
    rawCommand({ port }, 'INFO', section).then(
      (info) => info.includes(text),
      // A server drops its connections when its role changes.
      () => false,
    ),
  );
}
