import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const run = promisify(execFile);
const dist = join(import.meta.dirname, '..', 'dist');

describe('the built modules', () => {
  it('name each other by paths that plain node resolves, never by an alias', async () => {
    const modules = await builtModules();
    const sources = await Promise.all(modules.map(async (path) => ({ path, text: await readFile(path, 'utf8') })));
    const aliased = sources.filter(({ text }) => /\b(?:from|import)\s*\(?\s*['"]@millrace\//.test(text));
    expect(aliased.map(({ path }) => path)).toEqual([]);
    expect(modules.length).toBeGreaterThan(0);
  });

  it('hold no spec', async () => {
    expect((await builtModules()).filter((path) => path.endsWith('spec.js'))).toEqual([]);
  });

  it.each(['libs/durable/src/index.js', 'libs/storage/src/index.js', 'libs/storage/src/testing/index.js'])(
    '%s loads in plain node and lets it exit',
    async (path) => {
      const load = `await import(${JSON.stringify(join(dist, path))}); console.log('loaded')`;
      const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', load], { timeout: 20_000 });
      expect(stdout).toBe('loaded\n');
    },
  );
});

async function builtModules(): Promise<string[]> {
  const entries = await readdir(dist, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile() && entry.name.endsWith('.js')).map((entry) => join(entry.parentPath, entry.name));
}
