/**
 * Runs luacheck over the Lua scripts as Redis gets them, includes in place: a helper of `lib` is a global to a file
 * that only includes it. Skipped where luacheck is not installed (Debian's package is lua-check).
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expandIncludes, scriptFiles } from './lua-bundle.mjs';

const FOLDER = 'libs/storage/src/redis/scripts';

process.exitCode = lint(scriptFiles(FOLDER));

function lint(files) {
  if (files.length === 0) {
    return 0;
  }
  if (spawnSync('luacheck', ['--version']).error !== undefined) {
    console.log('skipped: luacheck is not installed');
    return 0;
  }
  const folder = mkdtempSync(join(tmpdir(), 'millrace-lua-'));
  try {
    for (const file of files) {
      // luacheck knows no shebang but its own; a comment keeps the line numbers.
      writeFileSync(join(folder, file), expandIncludes(FOLDER, file, forgiven).replace(/^#!/, '--'));
    }
    return (
      spawnSync('luacheck', ['--no-color', '--config', resolve('.luacheckrc'), ...files], { cwd: folder, stdio: 'inherit' }).status ?? 1
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A helper may offer more than one script uses (211, 212) and name its parameters as that script does (431, 432). */
function forgiven(included) {
  return `-- luacheck: push ignore 211 212 431 432\n${included}\n-- luacheck: pop`;
}
