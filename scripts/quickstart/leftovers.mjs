import { Problem } from './problem.mjs';
import { until } from './until.mjs';
import { identityOf } from './process-identity.mjs';

const STOP_LIMIT_MS = 40_000;

/**
 * Deals with what an earlier quickstart left: refuses to start beside one that runs, and ends, in good order, processes of
 * one that was killed. A process that merely has the number of one of them is left alone.
 */
export async function endLeftovers(processes, say) {
  const earlier = processes.readEarlier();
  const running = earlier.filter(({ state }) => state === 'running');
  const other = running.find(({ name }) => name === 'quickstart');
  if (other !== undefined) {
    throw new Problem(`a quickstart runs already here, as process ${other.pid}: end that one first, or choose another folder with --data`);
  }
  for (const { name, pid, state } of earlier) {
    if (state === 'another')
      say(`an earlier quickstart had process ${pid} (${name}); that number is another program's now, which is left alone`);
  }
  // Redis was started first and ends last, so that the others can still hand back what they hold.
  for (const { name, pid } of running.reverse()) {
    say(`an earlier quickstart left ${name} running (process ${pid}): ending it`);
    await end(name, pid);
  }
  processes.remove();
}

async function end(name, pid) {
  const identity = identityOf(pid);
  process.kill(pid, 'SIGTERM');
  await until(`${name} (process ${pid}) to end`, STOP_LIMIT_MS, () => identityOf(pid) !== identity);
}
