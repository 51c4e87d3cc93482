import { startRedis } from '@millrace/storage/testing';
import { BudgetPassed, watchBudgets } from './budget-watch.js';
import { type Progress, SampleLab } from './sample-lab.js';
import { type BenchCase, type Measured, OutOfTime, type Settings, WrongResult } from './scenario.js';

/** How a sample, and so its row, can end. `failed`: something broke that says nothing about the result. */
export type SampleStatus = 'ok' | 'timeout' | 'resource_limit' | 'wrong_result' | 'failed';

/** What became of one sample. */
export type SampleOutcome =
  | { readonly status: 'ok'; readonly measured: Measured }
  | { readonly status: Exclude<SampleStatus, 'ok'>; readonly reason: string; readonly progress: Progress | null };

/** After its storage is closed a stopped sample ends by itself within this, ms; whatever it says then is not heard. */
const LEAVE_MS = 2_000;

/** Takes one sample on a server of its own, which is gone afterwards. Never throws for what the sample does. */
export async function takeSample(benchCase: BenchCase, settings: Settings): Promise<SampleOutcome> {
  const redis = await startRedis({ appendfsync: settings.fsync });
  const stopping = new AbortController();
  const lab = new SampleLab(settings, redis, stopping.signal);
  const stopWatching = watchBudgets(benchCase.limits ?? {}, redis.pid, (passed) => stopping.abort(passed));
  const timer = setTimeout(() => stopping.abort(new OutOfTime(`not done in ${benchCase.timeoutMs} ms`)), benchCase.timeoutMs);
  const sampling = (async () => benchCase.sample(lab))();
  const outcome = await outcomeOf(sampling, lab);
  clearTimeout(timer);
  stopWatching();
  stopping.abort(new Error('the sample is over'));
  try {
    await closeAll(lab, sampling);
    return outcome;
  } catch (error) {
    return outcome.status === 'ok' ? { ...judge(error), progress: lab.lastProgress } : outcome;
  }
}

async function outcomeOf(sampling: Promise<Measured>, lab: SampleLab): Promise<SampleOutcome> {
  try {
    return { status: 'ok', measured: await Promise.race([sampling, aborted(lab.signal)]) };
  } catch (error) {
    return { ...judge(lab.signal.aborted ? lab.signal.reason : error), progress: lab.lastProgress };
  }
}

/** Twice: what a stopped sample was opening at that moment is registered after the first. */
async function closeAll(lab: SampleLab, sampling: Promise<Measured>): Promise<void> {
  await lab.close();
  await Promise.race([Promise.allSettled([sampling]), limit(LEAVE_MS)]);
  await lab.close();
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason))));
  });
}

function judge(error: unknown): { readonly status: Exclude<SampleStatus, 'ok'>; readonly reason: string } {
  const reason = error instanceof Error ? error.message : String(error);
  if (error instanceof OutOfTime) return { status: 'timeout', reason };
  if (error instanceof BudgetPassed) return { status: 'resource_limit', reason };
  if (error instanceof WrongResult) return { status: 'wrong_result', reason };
  return { status: 'failed', reason: error instanceof Error ? (error.stack ?? reason) : reason };
}

function limit(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
