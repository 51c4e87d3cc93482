import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Child } from './child.mjs';
import { findRedisServer } from './find-redis-server.mjs';
import { freePort } from './free-port.mjs';
import { HOW_TO_INSTALL, installRedis } from './install-redis.mjs';
import { Problem } from './problem.mjs';
import { ask, judge } from './redis-client.mjs';
import { NAMESPACE } from './services.mjs';
import { until } from './until.mjs';

const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 15_000;

/**
 * A Redis for the quickstart: the one that REDIS_URL names, else a private one on loopback whose data stays in the data folder.
 * @returns {Promise<{ url: string, child: Child | null, stop(): Promise<boolean> }>} only a private one is stopped
 */
export async function openRedis({ dataFolder, logFolder, mayInstall, processes, say, signal }) {
  const given = await givenRedis(say);
  if (given !== null) return { url: given, child: null, stop: async () => true };
  const { program, version } = findProgram(mayInstall, say);
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  const folder = join(dataFolder, 'redis');
  mkdirSync(folder, { recursive: true });
  const child = new Child({ name: 'redis', command: program, args: settings(port, folder), logFolder });
  const stop = () => child.stop(STOP_LIMIT_MS, () => shutDown(url));
  try {
    processes.add(child.name, child.pid);
    await Promise.race([untilItAnswers(url, child, signal), child.crashed.then((crash) => Promise.reject(new Problem(crash)))]);
  } catch (error) {
    await stop();
    throw error;
  }
  say(`${program} ${version} on port ${port}, its data in ${folder}`);
  return { url, child, stop };
}

async function givenRedis(say) {
  const url = process.env.REDIS_URL;
  if (url === undefined || url === '') return null;
  const { fault, name } = await judge(url, NAMESPACE);
  // The address may hold a password: it is not shown.
  say(fault === null ? `${name} of REDIS_URL` : `the server of REDIS_URL ${fault}: starting a private one instead`);
  return fault === null ? url : null;
}

function findProgram(mayInstall, say) {
  const found = findRedisServer();
  if (found?.program !== undefined) return found;
  if (mayInstall && installRedis(say)) {
    const installed = findRedisServer();
    if (installed?.program !== undefined) return installed;
  }
  throw new Problem(`${found === null ? 'there is no Redis here' : `${found.tooOld} is too old`}.\n\n${HOW_TO_INSTALL}`);
}

/** Every answered write is on the disk, and nothing is ever dropped for want of memory. */
function settings(port, folder) {
  const values = {
    bind: '127.0.0.1',
    port,
    dir: folder,
    daemonize: 'no',
    appendonly: 'yes',
    appendfsync: 'always',
    'maxmemory-policy': 'noeviction',
  };
  return [...Object.entries(values).flatMap(([name, value]) => [`--${name}`, String(value)]), '--save', ''];
}

/** Somebody else's server may answer on a port that ours failed to get. Reading back much data takes a while. */
async function untilItAnswers(url, child, signal) {
  await until(
    'Redis to answer',
    START_LIMIT_MS,
    async () => {
      try {
        return String(await ask(url, 'INFO', 'server')).includes(`process_id:${child.pid}\r\n`) && (await ask(url, 'PING')) === 'PONG';
      } catch {
        // Not up yet, or still loading.
        return false;
      }
    },
    signal,
  );
}

/** SHUTDOWN completes the append-only file. Its only answer is that the connection ends. */
async function shutDown(url) {
  try {
    await ask(url, 'SHUTDOWN');
  } catch {
    // That, or it does not answer at all: then the limit of the stop decides.
  }
}
