import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/**
 * Brings one checked-in generated file up to date, or with `isCheck` only says that it is not.
 *
 * @returns whether the file was as it should be.
 */
export function settleGeneratedFile({ path, text, isCheck }) {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) {
    return true;
  }
  if (isCheck) {
    console.error(`${path} is stale: run "npm run generate" and commit it`);
  } else {
    writeFileSync(path, text);
    console.log(`wrote ${path}`);
  }
  return false;
}
