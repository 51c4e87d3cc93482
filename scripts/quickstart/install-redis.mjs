import { spawnSync } from 'node:child_process';

const PACKAGES = ['redis-server', 'valkey-server', 'valkey'];
const LEAST_MAJOR = 7;

export const HOW_TO_INSTALL = `Millrace needs Redis 7 or newer, or Valkey. Any of these will do, then run this again:

  Debian, Ubuntu   sudo apt-get update && sudo apt-get install -y redis-server
  macOS            brew install redis
  Docker           docker run -d -p 127.0.0.1:6379:6379 redis:7 redis-server --appendonly yes --appendfsync always --maxmemory-policy noeviction
                   REDIS_URL=redis://127.0.0.1:6379 npm run quickstart`;

/** Installs a server program with the system's own means, where that asks nobody anything. @returns {boolean} whether it tried */
export function installRedis(say) {
  if (hasProgram('apt-get')) return installWithApt(say);
  if (hasProgram('brew')) return run(say, 'brew', ['install', 'redis']);
  return false;
}

function installWithApt(say) {
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  if (asRoot.length > 0 && spawnSync('sudo', ['-n', 'true']).status !== 0) return false;
  const [program, ...before] = [...asRoot, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get'];
  if (!run(say, program, [...before, 'update', '-q'])) return false;
  const name = PACKAGES.find(isNewEnough);
  return name !== undefined && run(say, program, [...before, 'install', '-q', '-y', '--no-install-recommends', name]);
}

function isNewEnough(name) {
  const { stdout } = spawnSync('apt-cache', ['policy', name], { encoding: 'utf8' });
  // A version may begin with an epoch: 5:7.0.15-1.
  return Number(/Candidate: (?:\d+:)?(\d+)\./.exec(stdout ?? '')?.[1] ?? 0) >= LEAST_MAJOR;
}

function run(say, program, args) {
  say(`no Redis here, installing it: ${program} ${args.join(' ')}`);
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  if (status !== 0) say(`that failed:\n${stdout ?? ''}${stderr ?? ''}`);
  return status === 0;
}

function hasProgram(name) {
  return spawnSync(name, ['--version']).status === 0;
}
