import { openClient } from './client.js';

/** What a process that reads one result prints, as one line of JSON. */
export interface ReadResult {
  /** From before the connection to the decoded output, ms. */
  readonly connectAndReadMs: number;
  /** The read and the decoding alone, ms. */
  readonly readMs: number;
  readonly status: string;
  readonly output: unknown;
}

/** Told the address of Redis and a run id: connects, reads the run once, and says what it found. */
async function main(redisUrl: string, runId: string): Promise<ReadResult> {
  const startedAt = performance.now();
  const { client, decode, close } = await openClient(redisUrl);
  const connectedAt = performance.now();
  const { status, output } = await client.get(runId);
  const decoded = decode(output);
  const readAt = performance.now();
  await close();
  return { connectAndReadMs: readAt - startedAt, readMs: readAt - connectedAt, status, output: decoded };
}

const [, , redisUrl = '', runId = ''] = process.argv;
process.stdout.write(`${JSON.stringify(await main(redisUrl, runId))}\n`);
