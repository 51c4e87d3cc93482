import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Problem } from './problem.mjs';

export const USAGE = `usage: npm run quickstart -- [--once] [--no-install] [--data FOLDER]

  --once        end everything after the first results
  --no-install  never install Redis, only say how
  --data        where data, logs and process ids are kept, default ./.millrace

REDIS_URL names a Redis (7 or newer) or Valkey to use instead of a private one.`;

/** @returns {{ isOnce: boolean, help: boolean, mayInstall: boolean, dataFolder: string }} */
export function readArguments(argv) {
  try {
    const { values } = parseArgs({
      args: argv,
      options: {
        once: { type: 'boolean', default: false },
        'no-install': { type: 'boolean', default: false },
        data: { type: 'string', default: '.millrace' },
        help: { type: 'boolean', default: false },
      },
    });
    return { isOnce: values.once, help: values.help, mayInstall: !values['no-install'], dataFolder: resolve(values.data) };
  } catch (error) {
    throw new Problem(`${error.message}\n\n${USAGE}`);
  }
}
