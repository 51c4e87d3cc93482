/** `npm run generate`: brings every checked-in generated file up to date; with --check only compares. */
import { spawnSync } from 'node:child_process';

const codes = ['generate-lua.mjs', 'generate-metadata.mjs'].map(
  (script) => spawnSync(process.execPath, [`scripts/${script}`, ...process.argv.slice(2)], { stdio: 'inherit' }).status,
);
process.exitCode = codes.every((code) => code === 0) ? 0 : 1;
