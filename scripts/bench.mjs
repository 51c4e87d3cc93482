/** `npm run bench -- <scenario> [flags]`: builds when a source is newer than what was built from it, then measures. */
import { spawn, spawnSync } from 'node:child_process';
import { isBuildStale } from './stale-build.mjs';

const SOURCES = ['apps', 'libs', 'bench'];
const BUILT = ['dist/apps/api/src/main.js', 'dist/apps/worker/src/main.js', 'dist/bench/main.js'];

process.exitCode = build() ? await measure(process.argv.slice(2)) : 1;

function build() {
  if (!isBuildStale({ sources: SOURCES, built: BUILT })) return true;
  process.stderr.write('building (some seconds) …\n');
  return spawnSync('npm', ['run', '--silent', 'build'], { stdio: ['ignore', 2, 2] }).status === 0;
}

function measure(args) {
  const bench = spawn(process.execPath, ['dist/bench/main.js', ...args], { stdio: 'inherit' });
  // The console sends its interrupt to both; whoever ends this one by its id means both.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => bench.kill('SIGTERM'));
  return new Promise((resolve) => bench.once('exit', (code) => resolve(code ?? 1)));
}
