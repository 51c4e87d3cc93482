import { HttpConnection } from './http-connection.js';

const BATCH = 1000;
/** One batch is read and answered while Redis works on the other. */
const IN_FLIGHT = 2;

interface BatchAnswers {
  readonly answers: ReadonlyArray<{ readonly status: number; readonly run?: { readonly runId: string } }>;
}

/**
 * Submits one run of the workflow per input through the API, 1,000 a request.
 * @returns their run ids, in the order of the inputs
 * @throws Error when one of them is not answered 202
 */
export async function submitBatches(apiUrl: string, workflow: string, inputs: readonly unknown[]): Promise<string[]> {
  const batches = Array.from({ length: Math.ceil(inputs.length / BATCH) }, (_, i) => inputs.slice(i * BATCH, (i + 1) * BATCH));
  const runIds: string[][] = [];
  let next = 0;
  const connections = await Promise.all(Array.from({ length: IN_FLIGHT }, () => HttpConnection.open(apiUrl)));
  try {
    await Promise.all(
      connections.map(async (connection) => {
        for (let at = next++; at < batches.length; at = next++) {
          runIds[at] = await submitOne(connection, workflow, batches[at] ?? []);
        }
      }),
    );
  } finally {
    for (const connection of connections) connection.close();
  }
  return runIds.flat();
}

async function submitOne(connection: HttpConnection, workflow: string, inputs: readonly unknown[]): Promise<string[]> {
  const body = JSON.stringify({ runs: inputs.map((input) => ({ workflow, input })) });
  const answer = await connection.send(connection.encode({ method: 'POST', path: '/v1/runs/batch', body }));
  const text = answer.body.toString();
  if (answer.status !== 200) throw new Error(`a batch was answered ${answer.status}: ${text.slice(0, 300)}`);
  return (JSON.parse(text) as BatchAnswers).answers.map(({ status, run }) => {
    if (status !== 202 || run === undefined) throw new Error(`a submission was answered ${status}: ${text.slice(0, 300)}`);
    return run.runId;
  });
}
