/**
 * Writes libs/storage/src/redis/scripts.generated.ts from the Lua files beside it; with --check only compares. The
 * bundle is checked in because the build copies no Lua and nothing is read by path at run time.
 */
import { existsSync } from 'node:fs';
import { bundleFolder } from './lua-bundle.mjs';
import { settleGeneratedFile } from './generated-file.mjs';

const FOLDER = 'libs/storage/src/redis/scripts';
const GENERATED = 'libs/storage/src/redis/scripts.generated.ts';

const isCheck = process.argv.includes('--check');
const scripts = bundleFolder(FOLDER);
if (scripts.length > 0 || existsSync(GENERATED)) {
  const isFresh = settleGeneratedFile({ path: GENERATED, text: moduleText(scripts), isCheck });
  process.exitCode = isCheck && !isFresh ? 1 : 0;
}

function moduleText(bundled) {
  const entries = bundled.map(
    ({ name, keys, lua, sha1 }) =>
      `  ${name}: {\n    keys: ${JSON.stringify(keys)},\n    sha1: ${JSON.stringify(sha1)},\n    lua: ${JSON.stringify(lua)},\n  },\n`,
  );
  return [
    '// Generated from scripts/*.lua by "npm run generate". Do not edit.\n\n',
    '/** The Lua scripts by name: the names of their keys, their text with includes in place, and its SHA-1. */\n',
    `export const scripts = {\n${entries.join('')}} as const;\n`,
  ].join('');
}
