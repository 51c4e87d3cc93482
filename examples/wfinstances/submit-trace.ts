import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { MillraceHttp } from '../millrace-http.js';
import { readTrace, runtimeMs } from './load-trace.js';
import { parseTraceFile } from './trace-files.js';
import { runTrace, type TraceResult } from './trace-run.js';

const USAGE = `usage: node dist/examples/wfinstances/submit-trace.js FILE [--scale N] [--url URL] [--token TOKEN]

  FILE     a workflow trace in WfFormat 1.5 (github.com/wfcommons/WfInstances has many)
  --scale  how many times faster than recorded, default 100
  --url    address of the API, default http://127.0.0.1:8080
  --token  bearer token, default the environment variable MILLRACE_TOKEN`;

interface Arguments {
  readonly file: string;
  readonly scale: number;
  readonly url: string;
  readonly token: string | undefined;
}

class UsageError extends Error {}

/**
 * Submits a trace over HTTP, shows its progress and compares what it came to with an independent computation.
 * @returns the exit code: 0 as expected, 1 otherwise, 2 wrong arguments
 */
export async function submitTrace(argv: readonly string[], say: (line: string) => void): Promise<number> {
  try {
    const { file, scale, url, token } = readArguments(argv);
    const trace = readTrace(parseTraceFile(file));
    say(`${trace.name}: ${trace.tasks.length} tasks, ${scale} times faster than recorded`);
    let lastLine = '';
    const result = await runTrace({
      http: new MillraceHttp({ url, token }),
      trace,
      scale,
      onProgress: ({ runId, status, done, running, retrying }) => {
        const line = `${runId} ${status}: ${done}/${trace.tasks.length} done, ${running.length} running, ${retrying.length} retrying`;
        if (line !== lastLine) say(line);
        lastLine = line;
      },
    });
    for (const line of describe(result)) say(line);
    return result.isCorrect ? 0 : 1;
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    return error instanceof UsageError ? 2 : 1;
  }
}

function readArguments(argv: readonly string[]): Arguments {
  try {
    const options = {
      scale: { type: 'string', default: '100' },
      url: { type: 'string', default: 'http://127.0.0.1:8080' },
      token: { type: 'string' },
    } as const;
    const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true });
    const [file] = positionals;
    if (file === undefined || positionals.length > 1) throw new Error(`expected one FILE, not ${positionals.length}`);
    const scale = Number(values.scale);
    runtimeMs({ id: '', parents: [], runtimeSeconds: 0 }, scale);
    if (!URL.canParse(values.url)) throw new Error(`--url is no address: ${values.url}`);
    return { file, scale, url: values.url, token: values.token ?? process.env['MILLRACE_TOKEN'] };
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${USAGE}`);
  }
}

function describe({ run, tasks, confirmed, expected, checksum, isCorrect, tookMs, criticalPathMs }: TraceResult): string[] {
  const verdict = isCorrect ? 'as expected' : `NOT as expected: ${run.error?.message ?? 'the result is another one'}`;
  return [
    `${run.status}: ${confirmed} of ${tasks} tasks confirmed in ${tookMs} ms (the longest chain alone takes ${criticalPathMs} ms)`,
    `checksum ${checksum ?? 'none'}, computed from the trace ${expected}: ${verdict}`,
  ];
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  process.exitCode = await submitTrace(process.argv.slice(2), (line) => process.stdout.write(`${line}\n`));
}
