import { isTerminal, type ListedRun, type RunHead, type RunRow } from '@millrace/durable';
import type { BrokenRunDto, RunDto, RunRowDto } from './run.dto.js';
import { errorView, instantView, type PayloadReader, payloadView } from './stored-view.js';

/** A run without payloads. */
export function rowView(run: RunRow): Pick<RunRowDto, keyof RunRowDto> {
  const { runId, status, lane, cancel, revision } = run;
  return {
    runId,
    workflow: lane.workflow,
    version: lane.version,
    queue: lane.queue,
    status,
    cancelling: cancel !== null && !isTerminal(status),
    revision,
    createdAt: new Date(run.createdAt).toISOString(),
    startedAt: instantView(run.startedAt),
    endedAt: instantView(run.endedAt),
    wakeAt: instantView(run.wakeAt),
  };
}

export function listedView(run: ListedRun): RunRowDto | BrokenRunDto {
  return 'broken' in run ? { runId: run.runId, broken: run.broken } : rowView(run);
}

/** A run with input, output and error. */
export function runView(codec: PayloadReader, head: RunHead): RunDto {
  const input = payloadView(codec, head.input, 'input');
  const output = payloadView(codec, head.output, 'output');
  return {
    ...rowView(head),
    input: input.value,
    output: output.value,
    error: errorView(codec, head.error),
    broken: [input.broken, output.broken].filter((reason) => reason !== null).join('; ') || null,
  };
}
