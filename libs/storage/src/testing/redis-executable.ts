import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Names a server program is looked for under, in this order. */
const PROGRAMS = ['redis-server', 'valkey-server'] as const;

/**
 * The path of the server program that tests start: `MILLRACE_REDIS_SERVER` if set, else `redis-server` or
 * `valkey-server` on PATH.
 *
 * @throws Error saying what to install when there is none.
 */
export function findRedisServer(env: NodeJS.ProcessEnv = process.env): string {
  const chosen = env['MILLRACE_REDIS_SERVER'];
  if (chosen !== undefined && chosen !== '') {
    if (!isExecutable(chosen)) {
      throw new Error(`MILLRACE_REDIS_SERVER is ${chosen}, which is not a program that can be run`);
    }
    return chosen;
  }
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const found = PROGRAMS.flatMap((program) => folders.map((folder) => join(folder, program))).find(isExecutable);
  if (found === undefined) {
    throw new Error('no Redis server on PATH: install redis-server 7 or newer, or set MILLRACE_REDIS_SERVER');
  }
  return found;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch (error) {
    // Not `instanceof Error`: under jest the errors of node's own modules are of another realm.
    if (['ENOENT', 'EACCES', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) {
      return false;
    }
    throw error;
  }
}
