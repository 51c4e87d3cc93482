/** `npm run bench -- <scenario> [flags]`: builds when a source is newer than what was built from it, then measures. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = ['apps', 'libs', 'bench'];
const SETTINGS = ['package.json', 'nest-cli.json', 'tsconfig.base.json'];
/** The build writes all its files anew: the oldest of these tells when it last ran as a whole. */
const BUILT = ['dist/apps/api/src/main.js', 'dist/apps/worker/src/main.js', 'dist/bench/main.js'];

process.exitCode = build() ? await measure(process.argv.slice(2)) : 1;

function build() {
  if (!isStale()) return true;
  process.stderr.write('building (some seconds) …\n');
  return spawnSync('npm', ['run', '--silent', 'build'], { stdio: ['ignore', 2, 2] }).status === 0;
}

function isStale() {
  if (!BUILT.every((file) => existsSync(file))) return true;
  const builtAt = Math.min(...BUILT.map((file) => statSync(file).mtimeMs));
  return [...SETTINGS, ...SOURCES.flatMap(sourcesIn)].some((file) => statSync(file).mtimeMs > builtAt);
}

function sourcesIn(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('spec.ts') && !name.includes('node_modules'))
    .map((name) => join(folder, name));
}

function measure(args) {
  const bench = spawn(process.execPath, ['dist/bench/main.js', ...args], { stdio: 'inherit' });
  // The console sends its interrupt to both; whoever ends this one by its id means both.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => bench.kill('SIGTERM'));
  return new Promise((resolve) => bench.once('exit', (code) => resolve(code ?? 1)));
}
