/**
 * `npm run audit [-- --repair]`: walks a namespace and says where it disagrees with itself, a line each; with --repair what can
 * be mended is mended in the same script that found it. MILLRACE_REDIS_URL and MILLRACE_NAMESPACE say where, as for the API.
 * Exit code: 0 nothing is wrong (any more), 1 something is left, 2 the audit could not be made.
 */
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';

const BUILT = new URL('../dist/libs/storage/src/index.js', import.meta.url);

process.exitCode = await main(process.argv.slice(2));

async function main(argv) {
  try {
    const { values } = parseArgs({ args: argv, options: { repair: { type: 'boolean', default: false } } });
    if (!existsSync(BUILT)) throw new Error('nothing is built: run `npm run build` first');
    return await audit(values.repair);
  } catch (error) {
    console.error(error.message);
    return 2;
  }
}

async function audit(repair) {
  const { RedisStorage } = await import(BUILT.href);
  const { MILLRACE_REDIS_URL: url = 'redis://127.0.0.1:6379', MILLRACE_NAMESPACE: namespace = 'default' } = process.env;
  const storage = await RedisStorage.open({ url, namespace });
  let found = 0;
  let left = 0;
  try {
    await storage.auditor.walk({ repair }, ({ fault, runId, key, repairable }) => {
      found += 1;
      if (!(repair && repairable)) left += 1;
      console.log([fault, runId ?? '-', key, wordFor(repair, repairable)].join('\t'));
    });
  } finally {
    await storage.close();
  }
  console.error(`namespace ${namespace}: ${found === 0 ? 'nothing is wrong' : `${found} found, ${left} left`}`);
  return left === 0 ? 0 : 1;
}

function wordFor(repair, repairable) {
  if (!repairable) return 'for a person';
  return repair ? 'mended' : 'can be mended with --repair';
}
