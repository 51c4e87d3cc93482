import { progressLines } from './progress-block.mjs';
import { Problem } from './problem.mjs';

const TRACE = 'helloworld-forkjoin-10-chameleon.json';
/** 1,029 recorded seconds of work, the longest chain of it 307, are over in about five. */
const SCALE = 60;
const ORDER = {
  orderId: 'order-1001',
  customer: 'ada@example.org',
  cardToken: 'tok-visa',
  lines: [
    { sku: 'mug', quantity: 2, unitPriceCents: 1250 },
    { sku: 'teapot', quantity: 1, unitPriceCents: 3900 },
  ],
};

/** Two runs over HTTP, as any client would make them: a graph of a recorded workflow, and a shop's order. Answers the id of the latter. */
export async function demonstrate({ url, workerOf, terminal }) {
  const { MillraceHttp } = await import('../../dist/examples/millrace-http.js');
  const http = new MillraceHttp({ url });
  await replayTrace(http, workerOf, terminal);
  return fulfilOrder(http, workerOf, terminal);
}

async function replayTrace(http, workerOf, terminal) {
  const [{ readTrace }, { parseTraceFile, shippedTrace }, { runTrace }] = await Promise.all(
    ['load-trace', 'trace-files', 'trace-run'].map((name) => import(`../../dist/examples/wfinstances/${name}.js`)),
  );
  const trace = readTrace(parseTraceFile(shippedTrace(TRACE)));
  const tasks = trace.tasks.length;
  terminal.say(`\nA real workflow trace as a graph (${trace.name}, ${tasks} tasks, ${SCALE} times faster than recorded):`);
  const onProgress = (progress) => terminal.draw(progressLines({ ...progress, tasks, worker: workerOf(progress.runId) }));
  const result = await runTrace({ http, trace, scale: SCALE, onProgress, pollMs: 200 });
  const { run, tookMs, criticalPathMs, checksum, expected, isCorrect } = result;
  if (!isCorrect)
    throw new Problem(
      `run ${run.runId} is ${run.status} with checksum ${checksum}, but must come to ${expected}: ${run.error?.message ?? ''}`,
    );
  terminal.say(
    `  ${run.status} in ${(tookMs / 1_000).toFixed(1)} s; the longest chain alone takes ${(criticalPathMs / 1_000).toFixed(1)} s`,
  );
  terminal.say(`  checksum ${checksum}: the same as computed from the trace alone`);
}

async function fulfilOrder(http, workerOf, terminal) {
  terminal.say("\nA shop's order (examples/fulfil-order), with services that fail now and then:");
  const { runId } = await http.submit({ workflow: 'fulfil-order', input: ORDER });
  const run = await http.end(runId);
  const { steps } = await http.steps(runId, null);
  for (const { name, state, attempts } of steps)
    terminal.say(`  ${String(name).padEnd(9)} ${state}${attempts > 1 ? `, attempt ${attempts}` : ''}`);
  const worker = workerOf(runId);
  if (run.status !== 'completed') throw new Problem(`run ${runId} is ${run.status}: ${run.error?.message ?? ''}`);
  terminal.say(`  ${run.status}${worker === undefined ? '' : ` on ${worker}`}: ${JSON.stringify(run.output)}`);
  return runId;
}
