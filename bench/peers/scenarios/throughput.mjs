import { forms } from '../forms.mjs';
import { addRuns, checkRuns, openSession, warmUp } from '../measure.mjs';
import { countFromNow } from '../server-counters.mjs';
import { lcg } from '../work.mjs';

/**
 * Many runs, all added in bulk first; then one worker drains them. Rates and processor times are those of the drain, the times per
 * run.
 *
 * @param {import('../measure.mjs').Bench} bench
 * @returns {Promise<Record<'addMs' | 'drainMs' | 'runsPerSecond' | 'stepsPerSecond' | 'workerCpuUs' | 'redisCpuUs' | 'completed', number>>}
 */
export async function throughput(bench) {
  const { runs, steps } = bench.settings;
  const form = forms[bench.settings.form](lcg, steps);
  await warmUp(bench, form);
  const session = await openSession(bench, form);

  const addStart = performance.now();
  await addRuns(session, runs);
  const addMs = performance.now() - addStart;

  const counted = await countFromNow(bench.connections.probe);
  const cpuStart = process.cpuUsage();
  const drainStart = performance.now();
  session.start();
  await session.completed(runs);
  const drainMs = performance.now() - drainStart;
  const cpu = process.cpuUsage(cpuStart);
  const server = await counted();

  const completed = await checkRuns(session, lcg, { runs, steps });
  await session.close();
  return {
    addMs,
    drainMs,
    runsPerSecond: (runs * 1000) / drainMs,
    stepsPerSecond: (runs * steps * 1000) / drainMs,
    workerCpuUs: (cpu.user + cpu.system) / runs,
    redisCpuUs: server.cpuUs / runs,
    completed,
  };
}
