import { spawnSync } from 'node:child_process';

const PROGRAMS = ['redis-server', 'valkey-server'];
const LEAST_MAJOR = 7;

/**
 * A server program on the path that is new enough.
 * @returns {{ program: string, version: string } | { tooOld: string } | null} null when there is none at all
 */
export function findRedisServer() {
  let tooOld = null;
  for (const program of PROGRAMS) {
    const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
    if (status !== 0) continue;
    const version = / v=(\d+(?:\.\d+)*)/.exec(stdout)?.[1] ?? '0';
    if (Number.parseInt(version, 10) >= LEAST_MAJOR) return { program, version };
    tooOld = `${program} ${version}`;
  }
  return tooOld === null ? null : { tooOld };
}
