import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { freePort, waitUntil } from '@millrace/storage/testing';
import type { ApiProcess, Environment, LabProcess, WorkerProcess } from './scenario.js';

const READY_LIMIT_MS = 30_000;
const STOP_LIMIT_MS = 40_000;
const READY_POLL_MS = 10;
const KEPT_LOG_CHARACTERS = 100_000;
/** From bench/harness as from dist/bench/harness. */
const root = resolve(import.meta.dirname, import.meta.dirname.includes('/dist/') ? '../../..' : '../..');

/** One of the product's own processes, started as a deployment starts it. */
class ProductProcess implements LabProcess {
  private output = '';

  private constructor(
    private readonly name: string,
    private readonly child: ChildProcess,
  ) {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => (this.output = (this.output + chunk.toString()).slice(-KEPT_LOG_CHARACTERS)));
    }
    const killWithUs = () => child.kill('SIGKILL');
    process.once('exit', killWithUs);
    child.once('exit', () => process.off('exit', killWithUs));
  }

  static spawn(name: 'api' | 'worker', settings: Environment): ProductProcess {
    const env = { ...process.env, NODE_OPTIONS: '', ...settings };
    const stdio = ['ignore', 'pipe', 'pipe'] as const;
    return new ProductProcess(name, spawn(process.execPath, [resolve(root, `dist/apps/${name}/src/main.js`)], { env, stdio: [...stdio] }));
  }

  get pid(): number {
    return this.child.pid ?? -1;
  }

  get log(): string {
    return this.output;
  }

  /** @throws Error with its log when it ends before, or takes more than 30 s */
  async untilReady(healthUrl: string, signal: AbortSignal): Promise<void> {
    const wait = { name: `the ${this.name} process to be ready`, limitMs: READY_LIMIT_MS, pollMs: READY_POLL_MS };
    await waitUntil(wait, () => {
      signal.throwIfAborted();
      if (this.hasEnded) throw new Error(`the ${this.name} process ended: ${this.output.slice(-2000)}`);
      return isReady(healthUrl);
    });
  }

  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.end('SIGTERM');
  }

  private get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  private async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    if (this.hasEnded) return;
    const ended = once(this.child, 'exit', { signal: AbortSignal.timeout(STOP_LIMIT_MS) });
    this.child.kill(signal);
    await ended;
  }
}

/** @param onStart called as soon as there is something to end */
export async function startApi(env: Environment, signal: AbortSignal, onStart: (started: LabProcess) => void): Promise<ApiProcess> {
  const port = await freePort();
  const api = ProductProcess.spawn('api', { MILLRACE_PORT: String(port), MILLRACE_LOG_LEVEL: 'warn', ...env });
  onStart(api);
  const url = `http://127.0.0.1:${port}`;
  await api.untilReady(`${url}/health/ready`, signal);
  return Object.assign(api, { url });
}

/** @param onStart called as soon as there is something to end */
export async function startWorkerProcess(
  env: Environment,
  signal: AbortSignal,
  onStart: (started: LabProcess) => void,
): Promise<WorkerProcess> {
  const port = await freePort();
  const worker = ProductProcess.spawn('worker', { MILLRACE_HEALTH_PORT: String(port), MILLRACE_LOG_LEVEL: 'warn', ...env });
  onStart(worker);
  await worker.untilReady(`http://127.0.0.1:${port}/health/ready`, signal);
  return worker;
}

async function isReady(healthUrl: string): Promise<boolean> {
  try {
    const { ok } = await fetch(healthUrl);
    return ok;
  } catch (error) {
    // Nothing listens yet; whatever else is wrong shows in the log when the limit is reached.
    if (error instanceof TypeError) return false;
    throw error;
  }
}
