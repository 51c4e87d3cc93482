import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { WorkerOptions } from '@millrace/durable';
import { waitUntil } from '@millrace/storage/testing';
import type { KillPoint } from '../fixtures/killing-store.js';

export interface FixtureOptions {
  readonly url: string;
  readonly namespace: string;
  readonly partitions?: number;
  readonly ledger: string;
  readonly options?: WorkerOptions;
  readonly kill?: KillPoint;
}

interface SaidLine {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** Short leases, so that a take-over takes seconds. */
const FAST: WorkerOptions = { testing: true, lease: '3s', heartbeat: '500ms', pump: '200ms', block: '1s', reclaimIdle: '2s' };

const entry = resolve(import.meta.dirname, '../../dist/test/fixtures/fixture-worker.js');

/** A worker process that a test started, and what it said. */
export class FixtureProcess {
  readonly said: SaidLine[] = [];
  private stderr = '';

  private constructor(private readonly child: ChildProcess) {
    if (child.stdout) createInterface({ input: child.stdout }).on('line', (line) => this.said.push(parseLine(line)));
    child.stderr?.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString();
    });
  }

  /** Starts it and does not wait until it is ready. */
  static spawn({ url, namespace, partitions = 1, ledger, options = {}, kill }: FixtureOptions): FixtureProcess {
    const config = { url, namespace, partitions, options: { ...FAST, ...options }, ...(kill ? { kill } : {}) };
    const env = { ...process.env, FIXTURE: JSON.stringify(config), LEDGER: ledger, NODE_OPTIONS: '' };
    return new FixtureProcess(spawn(process.execPath, [entry], { env, stdio: ['ignore', 'pipe', 'pipe'] }));
  }

  static async start(options: FixtureOptions): Promise<FixtureProcess> {
    const started = FixtureProcess.spawn(options);
    await started.hears('ready');
    return started;
  }

  get pid(): number {
    return this.child.pid ?? -1;
  }

  get isAlive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  get exitCode(): number | null {
    return this.child.exitCode;
  }

  get errors(): string {
    return this.stderr;
  }

  /** Waits until it has said a line of this type (that fits), and answers it. */
  async hears(type: string, fits: (line: SaidLine) => boolean = () => true, limitMs = 20_000): Promise<SaidLine> {
    return waitUntil({ name: `"${type}" from process ${this.pid}: ${this.stderr.slice(-500)}`, limitMs }, () => {
      const line = this.said.find((each) => each.type === type && fits(each));
      if (!line && !this.isAlive && type !== 'exit')
        throw new Error(`process ${this.pid} ended before it said "${type}": ${this.stderr.slice(-2000)}`);
      return line;
    });
  }

  signal(name: 'SIGSTOP' | 'SIGCONT' | 'SIGTERM' | 'SIGKILL'): void {
    this.child.kill(name);
  }

  /** Waits for its end. */
  async ended(limitMs = 40_000): Promise<{ readonly code: number | null; readonly signal: string | null }> {
    await waitUntil({ name: `end of process ${this.pid}`, limitMs }, () => !this.isAlive);
    return { code: this.child.exitCode, signal: this.child.signalCode };
  }

  async kill(): Promise<void> {
    if (!this.isAlive) return;
    const end = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await end;
  }

  /** For `tracked`. */
  async close(): Promise<void> {
    await this.kill();
  }
}

function parseLine(line: string): SaidLine {
  try {
    return JSON.parse(line) as SaidLine;
  } catch {
    return { type: 'text', line };
  }
}
