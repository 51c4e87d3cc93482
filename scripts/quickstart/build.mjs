import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Problem } from './problem.mjs';

const SOURCES = ['apps', 'libs', 'examples'];
const SETTINGS = ['package.json', 'nest-cli.json', 'tsconfig.base.json'];
/** The build writes all its files anew: the oldest of these tells when it last ran as a whole. */
const BUILT = ['dist/apps/api/src/main.js', 'dist/apps/worker/src/main.js', 'dist/examples/index.js'];

/** Builds when a source is newer than what was built from it. */
export function buildIfStale(say) {
  if (!existsSync('node_modules/@nestjs/core')) throw new Problem('the packages are not installed: run `npm ci` first');
  if (!isStale()) return;
  say('building (some seconds) …');
  const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', 'build'], { encoding: 'utf8' });
  if (status !== 0) throw new Problem(`the build failed:\n${stdout}${stderr}`);
  const missing = BUILT.filter((file) => !existsSync(file));
  if (missing.length > 0) throw new Problem(`the build did not make ${missing.join(', ')}`);
}

function isStale() {
  if (!BUILT.every((file) => existsSync(file))) return true;
  const builtAt = Math.min(...BUILT.map((file) => statSync(file).mtimeMs));
  return [...SETTINGS, ...SOURCES.flatMap(sourcesIn)].some((file) => statSync(file).mtimeMs > builtAt);
}

function sourcesIn(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('spec.ts'))
    .map((name) => join(folder, name));
}
