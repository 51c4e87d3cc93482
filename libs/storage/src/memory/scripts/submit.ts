import type { SubmitAnswer, SubmitRequest } from '@millrace/durable';
import { type MemoryRecord, newRecord } from '../memory-record.js';
import type { MemoryServer } from '../memory-server.js';
import { ready } from './ready.js';

/** One run id never starts two runs: whoever comes second is told of the first. */
export function submit(server: MemoryServer, request: SubmitRequest): SubmitAnswer {
  const found = server.readRecord(request.runId);
  if (found !== null) {
    // The inbox counter still carries the request that made the run: the caller's own first try, whose answer was lost.
    return answer(found.inbox === `0.${request.requestId}` ? 'created' : 'existing', found);
  }
  if (server.hasKey(request.runId)) {
    return unreadable(request);
  }
  const partition = server.partitionOf(request.runId);
  const record = newRecord({ ...request, createdAt: server.now() }, request.requestId);
  partition.runs.set(record.runId, record);
  ready({ server, partition, record }, request.requestId);
  return answer('created', record);
}

/** A record that cannot be read takes its id all the same. The empty digest equals no request's. */
function unreadable({ runId, lane }: SubmitRequest): SubmitAnswer {
  return {
    outcome: 'existing',
    run: { runId, status: 'set-aside', digest: '', createdAt: 0, startedAt: null, endedAt: null, lane: { ...lane }, revision: 0 },
  };
}

function answer(outcome: SubmitAnswer['outcome'], record: MemoryRecord): SubmitAnswer {
  const { runId, status, digest, createdAt, startedAt, endedAt, lane, revision } = record;
  return { outcome, run: { runId, status, digest, createdAt, startedAt, endedAt, lane: { ...lane }, revision } };
}
