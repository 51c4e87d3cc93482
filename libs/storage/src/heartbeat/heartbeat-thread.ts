import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '@millrace/durable';
import { RedisStorage } from '../redis/index.js';
import { BeatBoard } from './beat-board.js';
import { BeatLoop } from './beat-loop.js';
import type { BeatCommand, BeatReport, BeatThreadData } from './beat-messages.js';

/** Entry point of the heartbeat thread: beats over a connection of its own until it is told to stop. */
const port = parentPort;
if (port === null) throw new Error('heartbeat-thread is the entry point of a worker thread');

const { config, board, leaseMs, heartbeatMs, maxBlockMs } = workerData as BeatThreadData;
let opening: Promise<RedisStorage> | null = null;

const loop = new BeatLoop({
  leaseMs,
  heartbeatMs,
  maxBlockMs,
  board: new BeatBoard(board),
  send: async (request) => (await open()).runs.heartbeat(request),
  report: (report) => port.postMessage(report),
  now: () => process.hrtime.bigint(),
  after: (ms, callback) => systemClock.after(ms, callback),
});

port.on('message', (commands: readonly BeatCommand[]) => {
  for (const command of commands) {
    if (command.kind === 'stop') void end();
    else loop.handle(command);
  }
});
port.postMessage({ kind: 'started' } satisfies BeatReport);
loop.start();
// Holds nothing yet: it opens the connection, so that the first beat that matters does not wait for that.
void loop.tick();

/** The first beat opens the connection; one that could not be opened is tried again by the next. */
function open(): Promise<RedisStorage> {
  opening ??= RedisStorage.open(config).catch((error: unknown) => {
    opening = null;
    throw error;
  });
  return opening;
}

async function end(): Promise<void> {
  await loop.stop();
  const storage = await opening?.catch(() => null);
  await storage?.close();
  port?.close();
}
