import { resolve } from 'node:path';
import { Child } from './child.mjs';
import { freePort } from './free-port.mjs';

/** Where its runs are, also in a Redis that others use. */
export const NAMESPACE = 'quickstart';
const WORKERS = ['worker-1', 'worker-2'];
const USUAL_PORT = 8080;
/** Above the grace period that the API and the workers give to what they are doing. */
const STOP_LIMIT_MS = 35_000;

/** One API and two workers, from what was built. */
export class Services {
  /** Everything that was started, in order. */
  children = [];
  url = '';

  #redisUrl;
  #logFolder;
  #processes;

  constructor({ redisUrl, logFolder, processes }) {
    this.#redisUrl = redisUrl;
    this.#logFolder = logFolder;
    this.#processes = processes;
  }

  async start(say) {
    const port = await freePort(USUAL_PORT);
    if (port !== USUAL_PORT) say(`port ${USUAL_PORT} is taken: the API listens on ${port}`);
    this.url = `http://127.0.0.1:${port}`;
    this.#launch('api', 'dist/apps/api/src/main.js', { MILLRACE_HOST: '127.0.0.1', MILLRACE_PORT: String(port) });
    for (const name of WORKERS)
      this.#launch(name, 'dist/apps/worker/src/main.js', {
        ...this.workerSettings(),
        MILLRACE_WORKER_NAME: name,
        MILLRACE_LOG_LEVEL: 'debug',
      });
  }

  get api() {
    return this.children.find(({ name }) => name === 'api');
  }

  get workers() {
    return this.children.filter(({ name }) => name !== 'api');
  }

  /** What another worker must be told to work with these. */
  workerSettings() {
    return { MILLRACE_REDIS_URL: this.#redisUrl, MILLRACE_NAMESPACE: NAMESPACE, MILLRACE_WORKFLOWS: resolve('dist/examples/index.js') };
  }

  /** Workers first: while the API answers, others can see their runs go on elsewhere. @returns {Promise<string[]>} names of those that had to be killed */
  async stop() {
    const workers = await Promise.all(this.workers.map(stopOne));
    const api = this.api === undefined ? [] : await stopOne(this.api);
    return [...workers.flat(), ...api];
  }

  #launch(name, file, settings) {
    const env = { ...ownEnvironment(), MILLRACE_REDIS_URL: this.#redisUrl, MILLRACE_NAMESPACE: NAMESPACE, ...settings };
    const args = ['--import', new URL('./end-with-parent.mjs', import.meta.url).href, file];
    const child = new Child({ name, command: process.execPath, args, env, logFolder: this.#logFolder, hasChannel: true });
    this.children.push(child);
    this.#processes.add(name, child.pid);
  }
}

async function stopOne(child) {
  return (await child.stop(STOP_LIMIT_MS)) ? [] : [child.name];
}

/** Settings of another Millrace in the environment of the shell are not for this one. */
function ownEnvironment() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('MILLRACE_')));
}
