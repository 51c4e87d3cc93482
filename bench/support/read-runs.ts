import type { RunHead } from '@millrace/durable';
import type { RedisStorage } from '@millrace/storage';

const AT_ONCE = 500;

/** The heads of the runs, in order. @throws Error when one of them is missing */
export async function readRuns(storage: RedisStorage, runIds: readonly string[]): Promise<RunHead[]> {
  const heads: RunHead[] = [];
  for (let at = 0; at < runIds.length; at += AT_ONCE) {
    heads.push(...(await Promise.all(runIds.slice(at, at + AT_ONCE).map((runId) => readRun(storage, runId)))));
  }
  return heads;
}

async function readRun(storage: RedisStorage, runId: string): Promise<RunHead> {
  const head = await storage.inspector.getRun(runId);
  if (head === null) throw new Error(`run ${runId} is missing`);
  return head;
}
