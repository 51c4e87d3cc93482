import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitUntil } from '@millrace/storage/testing';

const root = new URL('../..', import.meta.url).pathname;
const LIMIT_MS = 100_000;

/** A process that the quickstart wrote down. */
export interface ListedProcess {
  readonly name: string;
  readonly pid: number;
}

export interface QuickstartOptions {
  readonly dataFolder: string;
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

/** A quickstart that a test started, what it said, and what it started. */
export class QuickstartProcess {
  output = '';
  private readonly child: ChildProcess;
  private readonly exited: Promise<unknown>;
  private readonly list: string;

  constructor({ dataFolder, args = [], env = {} }: QuickstartOptions) {
    this.list = join(dataFolder, 'processes');
    const command = [join(root, 'scripts/quickstart/main.mjs'), '--no-install', '--data', dataFolder, ...args];
    this.child = spawn(process.execPath, command, {
      env: { ...process.env, REDIS_URL: '', NODE_OPTIONS: '', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.exited = once(this.child, 'exit');
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.output += chunk.toString();
      });
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** The first line that matches, once it was said. */
  async says(pattern: RegExp): Promise<string> {
    return waitUntil({ name: `the quickstart to say ${pattern}`, limitMs: LIMIT_MS }, () => {
      const found = pattern.exec(this.output)?.[0];
      if (found === undefined && this.isOver) throw new Error(`the quickstart ended without saying ${pattern}:\n${this.output}`);
      return found;
    });
  }

  /** Everything that it wrote down, once these names are among it. */
  async lists(...names: string[]): Promise<ListedProcess[]> {
    return waitUntil({ name: `the quickstart to start ${names.join(', ')}`, limitMs: LIMIT_MS }, () => {
      const listed = this.listed();
      return names.every((name) => listed.some((each) => each.name === name)) ? listed : undefined;
    });
  }

  /** The exit code. */
  async ends(): Promise<number | null> {
    await waitUntil({ name: 'the quickstart to end', limitMs: LIMIT_MS }, () => this.isOver);
    await this.exited;
    return this.child.exitCode;
  }

  /** For the end of a test, whatever became of it: nothing that it started stays. */
  async stop(): Promise<void> {
    const listed = this.listed();
    if (!this.isOver) this.signal('SIGTERM');
    await this.ends();
    for (const { pid } of listed) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  }

  private get isOver(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  private listed(): ListedProcess[] {
    if (!existsSync(this.list)) return [];
    const lines = readFileSync(this.list, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
    return lines.map((line) => {
      const [name = '', pid] = line.split('\t');
      return { name, pid: Number(pid) };
    });
  }
}

/** True while there is a process of this number that has not ended. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}
