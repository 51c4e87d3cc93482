/**
 * Turns the Lua files of a folder into self-contained scripts: `--@include name` becomes the text of `lib/name.lua`
 * (recursively, each file once a script), comments and indentation go.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const INCLUDE = /^\s*--\s?@include\s+([\w-]+)\s*$/;
const KEYS_HEADER = /^--\s*KEYS:\s*(.*)$/m;
/** A comment or a string, each in its short and its long (`[[…]]`, `[=[…]=]`) form. */
const TOKENS = /--\[(=*)\[[\s\S]*?\]\1\]|--[^\n]*|\[(=*)\[[\s\S]*?\]\2\]|"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'/g;

/** The bundled scripts of a folder by name (`claim-run.lua` is `claimRun`), in order of name; none if it is absent. */
export function bundleFolder(folder) {
  return scriptFiles(folder).map((file) => {
    const source = readFileSync(join(folder, file), 'utf8');
    const lua = minify(expandIncludes(folder, file));
    return {
      name: camelCase(basename(file, '.lua')),
      keys: keyNames(file, source),
      lua,
      sha1: createHash('sha1').update(lua).digest('hex'),
    };
  });
}

/** Names of the script files of a folder, `lib` left out. */
export function scriptFiles(folder) {
  return existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith('.lua'))
        .toSorted()
    : [];
}

/**
 * The text of one script with its includes in place and everything else untouched.
 *
 * @param around gets the text of each include and answers what stands in its place.
 */
export function expandIncludes(folder, file, around = (text) => text) {
  return expand(folder, file, { seen: new Set(), around });
}

function expand(folder, file, expansion) {
  const lines = readFileSync(join(folder, file), 'utf8').split('\n');
  return lines.map((line) => expandLine(folder, file, line, expansion)).join('\n');
}

function expandLine(folder, file, line, expansion) {
  const name = INCLUDE.exec(line)?.[1];
  if (name === undefined) {
    return line;
  }
  const included = join('lib', `${name}.lua`);
  if (!existsSync(join(folder, included))) {
    throw new Error(`${file} includes ${name}, but there is no ${included}`);
  }
  if (expansion.seen.has(included)) {
    return '';
  }
  expansion.seen.add(included);
  return expansion.around(expand(folder, included, expansion));
}

function keyNames(file, source) {
  const header = KEYS_HEADER.exec(source)?.[1];
  if (header === undefined) {
    throw new Error(`${file} has no "-- KEYS:" header`);
  }
  const names = header.split(/[\s,]+/).filter((name) => name !== '');
  return names.join() === 'none' ? [] : names;
}

/** Drops comments, indentation and empty lines; what stands inside strings stays as it is. */
function minify(source) {
  let text = '';
  let code = '';
  let at = 0;
  for (const { 0: token, index } of source.matchAll(TOKENS)) {
    code += source.slice(at, index);
    at = index + token.length;
    if (token.startsWith('--')) {
      code += ' ';
    } else {
      text += withoutBlankLines(code) + token;
      code = '';
    }
  }
  return (text + withoutBlankLines(code + source.slice(at))).trim();
}

function withoutBlankLines(code) {
  return code.replaceAll(/\s*\n\s*/g, '\n');
}

function camelCase(kebab) {
  return kebab.replaceAll(/-(\w)/g, (_, letter) => letter.toUpperCase());
}
