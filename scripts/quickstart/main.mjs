/** `npm run quickstart`: a whole Millrace on this machine, two runs on it, and how to go on. See arguments.mjs for its options. */
import { once } from 'node:events';
import { join } from 'node:path';
import { readArguments, USAGE } from './arguments.mjs';
import { buildIfStale } from './build.mjs';
import { demonstrate } from './demonstration.mjs';
import { hints } from './hints.mjs';
import { endLeftovers } from './leftovers.mjs';
import { Problem } from './problem.mjs';
import { ProcessList } from './process-list.mjs';
import { openRedis } from './redis.mjs';
import { countRuns, untilReady } from './readiness.mjs';
import { Services } from './services.mjs';
import { Terminal } from './terminal.mjs';
import { workerFinder } from './worker-of-run.mjs';

process.chdir(new URL('../..', import.meta.url).pathname);
const STOPPED = new Error('stopped by a signal');
const terminal = new Terminal();
const stopping = stopOnSignals();
// Not only the code: what still asks a server that is gone would keep the process for its whole limit.
process.exit(await main(process.argv.slice(2)));

async function main(argv) {
  /** What ends what was started, last started first. */
  const cleanups = [];
  try {
    const options = readArguments(argv);
    if (options.help) return say(USAGE);
    await Promise.race([run(options, cleanups), rejectOnStop()]);
  } catch (error) {
    if (error !== STOPPED && error.cause !== STOPPED) return fail(error, cleanups);
  }
  return (await cleanUp(cleanups)) ? 0 : 1;
}

async function run({ isOnce, mayInstall, dataFolder }, cleanups) {
  const logFolder = join(dataFolder, 'logs');
  buildIfStale(say);
  const processes = new ProcessList(dataFolder);
  await endLeftovers(processes, say);
  processes.add('quickstart', process.pid);
  cleanups.push(async () => processes.remove());

  const redis = await openRedis({ dataFolder, logFolder, mayInstall, processes, say, signal: stopping });
  cleanups.push(async () => ((await redis.stop()) ? [] : ['redis']));
  const services = new Services({ redisUrl: redis.url, logFolder, processes });
  cleanups.push(() => services.stop());
  await services.start(say);
  const children = [...(redis.child === null ? [] : [redis.child]), ...services.children];
  const crash = Promise.race(children.map(({ crashed }) => crashed)).then((text) => Promise.reject(new Problem(text)));
  await Promise.race([use(services, { isOnce, logFolder }), crash]);
}

async function use(services, { isOnce, logFolder }) {
  const { url, workers } = services;
  await untilReady(services, stopping);
  say(`one API on ${url} and two workers (processes ${workers.map(({ pid }) => pid).join(' and ')})`);
  sayWhatIsThere(await countRuns(url));
  const runId = await demonstrate({ url, workerOf: workerFinder(workers), terminal });
  if (isOnce) return;
  say(hints({ url, runId, workerSettings: shownSettings(services), logFolder }));
  await new Promise(() => {});
}

/** The address in REDIS_URL may hold a password: it is not shown. */
function shownSettings(services) {
  const settings = services.workerSettings();
  return settings.MILLRACE_REDIS_URL === process.env.REDIS_URL ? { ...settings, MILLRACE_REDIS_URL: '"$REDIS_URL"' } : settings;
}

function sayWhatIsThere(counts) {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const parts = [...counts].map(([status, count]) => `${count} ${status}`).join(', ');
  say(total === 0 ? 'the store is empty' : `the store has ${total} runs of earlier starts: ${parts}`);
}

async function fail(error, cleanups) {
  // Said before the clean-up, which may take a while.
  terminal.say(error instanceof Problem ? `\n${error.message}` : `\n${error.stack}`);
  await cleanUp(cleanups);
  return 1;
}

async function cleanUp(cleanups) {
  // The first one only forgets the list of processes.
  const isAnythingStarted = cleanups.length > 1;
  if (isAnythingStarted) say('\nending everything that was started …');
  const killed = [];
  for (const clean of cleanups.reverse()) killed.push(...((await clean()) ?? []));
  if (killed.length > 0) say(`had to be killed: ${killed.join(', ')}`);
  else if (isAnythingStarted) say('ended; nothing is left running');
  return killed.length === 0;
}

/** npm passes the terminal's Ctrl-C on a second time, so a repetition changes nothing: every stop has a limit of its own. */
function stopOnSignals() {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => controller.abort(STOPPED));
  return controller.signal;
}

async function rejectOnStop() {
  if (!stopping.aborted) await once(stopping, 'abort');
  throw STOPPED;
}

function say(line) {
  terminal.say(line);
  return 0;
}
