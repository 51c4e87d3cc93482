import { type RunClient, startWorker, type SubmitRun } from '@millrace/durable';
import { createPayloadCodec, errorCodec, RedisStorage, redisWorkerStorage } from '@millrace/storage';
import { clientOn } from '../support/client.js';
import { type CompletedRun, type Engine, type EngineOptions, type Lab, WrongResult } from './scenario.js';

const NAMESPACE = 'default';
const codec = { ...createPayloadCodec(), ...errorCodec };

/** See {@link Lab.engine}. */
export async function openEngine(lab: Lab, options: EngineOptions): Promise<Engine> {
  const config = { url: options.url ?? lab.redis.url, namespace: NAMESPACE };
  const storage = await RedisStorage.open(config);
  lab.onClose(() => storage.close());
  const { workflows, tasks = [], worker: workerOptions = {}, emit = () => undefined } = options;
  const worker = await startWorker({ storage: redisWorkerStorage(storage, config), codec, workflows, tasks, options: workerOptions, emit });
  lab.onClose(() => worker.stop());
  const { client, watcher } = clientOn(storage, codec, emit);
  lab.onClose(() => watcher.close());
  return {
    client,
    worker,
    storage,
    decode,
    complete: (workflow, input) => complete(lab, client, { workflow, input }),
    completeGraph: (graph) => complete(lab, client, { graph }),
  };
}

/** The value of a stored payload; null when there is none. */
function decode(payload: string | null): unknown {
  return payload === null ? null : codec.decode(payload);
}

async function complete(lab: Lab, client: RunClient, submission: SubmitRun): Promise<CompletedRun> {
  const { run } = await client.submit(submission);
  // The sample's own limit is the one that counts.
  const { runId, status, output, error } = await client.wait(run.runId, { timeoutMs: 2 ** 31, signal: lab.signal });
  lab.signal.throwIfAborted();
  if (status !== 'completed') throw new WrongResult(`run ${runId} is ${status}: ${String(error)}`);
  return { runId, output: decode(output) };
}
