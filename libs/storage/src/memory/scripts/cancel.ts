import { type CancelAnswer, isClosed, type RunStore } from '@millrace/durable';
import { type MemoryRecord, movedInbox } from '../memory-record.js';
import type { MemoryServer } from '../memory-server.js';
import { finish } from './finish.js';
import { findRun, hasLiveClaim } from './script-run.js';

type CancelRequest = Parameters<RunStore['cancel']>[0];

/** An inbox write: whoever holds the run ends it when its functions have ended; a run that nobody holds ends here. */
export function cancel(server: MemoryServer, request: CancelRequest): CancelAnswer {
  const run = findRun(server, request.runId);
  if (run === null) {
    return server.hasKey(request.runId) ? 'closed' : 'missing';
  }
  if (isClosed(run.record.status)) {
    return answerAfterTheEnd(run.record, request);
  }
  if (!hasLiveClaim(run)) {
    run.record.cancel = written(server, request);
    finish(run, 'cancelled');
    return 'cancelled';
  }
  if (run.record.cancel === null) {
    run.record.cancel = written(server, request);
    run.record.inbox = movedInbox(run.record.inbox, request.requestId);
    server.bellsOf(run.record.owner as string).notify(run.record.runId);
  }
  return 'cancelling';
}

function written(server: MemoryServer, { requestId, reason }: CancelRequest): NonNullable<MemoryRecord['cancel']> {
  return { requestId, at: server.now(), reason };
}

/** A repetition is answered as the first time: only a request that an owner was to see is in the inbox counter. */
function answerAfterTheEnd({ cancel: first, inbox }: MemoryRecord, { requestId }: CancelRequest): CancelAnswer {
  if (first?.requestId !== requestId) {
    return 'closed';
  }
  return inbox.endsWith(`.${requestId}`) ? 'cancelling' : 'cancelled';
}
