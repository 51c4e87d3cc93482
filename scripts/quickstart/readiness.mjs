import { until } from './until.mjs';

const LIMIT_MS = 60_000;

/** Waits until a write works, both workers have announced themselves, and what they serve is known. */
export async function untilReady({ url, workers }, signal) {
  await until('the API to be ready', LIMIT_MS, async () => (await get(url, '/health/ready')) !== undefined, signal);
  await until(
    'both workers',
    LIMIT_MS,
    async () => {
      const pids = (await get(url, '/v1/workers'))?.workers.filter(({ state }) => state === 'live').map(({ pid }) => pid) ?? [];
      return workers.every(({ pid }) => pids.includes(pid));
    },
    signal,
  );
}

/** Runs that are in the store, by status. */
export async function countRuns(url) {
  const byStatus = new Map();
  for (const { status, count } of (await get(url, '/v1/counts'))?.counts ?? []) {
    if (count > 0) byStatus.set(status, (byStatus.get(status) ?? 0) + count);
  }
  return byStatus;
}

/** Undefined while nobody answers, or answers that it is not ready. */
async function get(url, path) {
  try {
    const response = await fetch(`${url}${path}`);
    return response.ok ? await response.json() : undefined;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
