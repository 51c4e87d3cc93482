import { forms } from '../forms.mjs';
import { addRuns, checkRuns, openSession, warmUp } from '../measure.mjs';
import { retainedBytes } from '../retained-bytes.mjs';
import { countFromNow } from '../server-counters.mjs';
import { echo } from '../work.mjs';

/**
 * Bytes of a run whose steps echo a payload, from adding it to its completion, producer and worker together: what the server read
 * and wrote, what its append-only file grew by, and the memory it keeps after the run. Connecting and loading scripts are over before.
 *
 * @param {import('../measure.mjs').Bench} bench
 * @returns {Promise<Record<'bytesIn' | 'bytesOut' | 'aofBytes' | 'retainedBytes' | 'completed', number>>}
 */
export async function bytes(bench) {
  const { runs, steps, payloadBytes } = bench.settings;
  const { probe } = bench.connections;
  const work = echo(payloadBytes);
  const form = forms[bench.settings.form](work, steps);
  await warmUp(bench, form);
  const session = await openSession(bench, form);

  const counted = await countFromNow(probe);
  await addRuns(session, runs);
  session.start();
  await session.completed(runs);
  const server = await counted();

  const completed = await checkRuns(session, work, { runs, steps });
  const retained = await retainedBytes(session.queue, probe);
  await session.close();
  return {
    bytesIn: server.bytesIn / runs,
    bytesOut: server.bytesOut / runs,
    aofBytes: server.aofBytes / runs,
    retainedBytes: retained / runs,
    completed,
  };
}
