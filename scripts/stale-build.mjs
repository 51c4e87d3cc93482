import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const SETTINGS = ['package.json', 'nest-cli.json', 'tsconfig.base.json'];

/**
 * True when a file of `built` is missing, or a source or setting is newer than the oldest of them: the build writes all its files
 * anew, so the oldest tells when it last ran as a whole.
 *
 * @param {{ sources: readonly string[], built: readonly string[] }} of folders with sources; files that the build makes
 */
export function isBuildStale({ sources, built }) {
  if (!built.every((file) => existsSync(file))) return true;
  const builtAt = Math.min(...built.map((file) => statSync(file).mtimeMs));
  return [...SETTINGS, ...sources.flatMap(sourcesIn)].some((file) => statSync(file).mtimeMs > builtAt);
}

function sourcesIn(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('spec.ts') && !name.includes('node_modules'))
    .map((name) => join(folder, name));
}
