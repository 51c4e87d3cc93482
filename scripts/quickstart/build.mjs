import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { isBuildStale } from '../stale-build.mjs';
import { Problem } from './problem.mjs';

const SOURCES = ['apps', 'libs', 'examples'];
const BUILT = ['dist/apps/api/src/main.js', 'dist/apps/worker/src/main.js', 'dist/examples/index.js'];

/** Builds when a source is newer than what was built from it. */
export function buildIfStale(say) {
  if (!existsSync('node_modules/@nestjs/core')) throw new Problem('the packages are not installed: run `npm ci` first');
  if (!isBuildStale({ sources: SOURCES, built: BUILT })) return;
  say('building (some seconds) …');
  const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', 'build'], { encoding: 'utf8' });
  if (status !== 0) throw new Problem(`the build failed:\n${stdout}${stderr}`);
  const missing = BUILT.filter((file) => !existsSync(file));
  if (missing.length > 0) throw new Problem(`the build did not make ${missing.join(', ')}`);
}
