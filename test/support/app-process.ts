import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { waitUntil } from '@millrace/storage/testing';

const root = resolve(import.meta.dirname, '../..');

/** One of the product's own processes, started as a deployment starts it. */
export class AppProcess {
  private output = '';

  private constructor(
    readonly name: 'api' | 'worker',
    private readonly child: ChildProcess,
  ) {
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
  }

  static start(name: 'api' | 'worker', settings: Readonly<Record<string, string>>): AppProcess {
    const env = { ...process.env, NODE_OPTIONS: '', ...settings };
    return new AppProcess(
      name,
      spawn(process.execPath, [resolve(root, `dist/apps/${name}/src/main.js`)], { env, stdio: ['ignore', 'pipe', 'pipe'] }),
    );
  }

  get pid(): number {
    return this.child.pid ?? -1;
  }

  get isAlive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  get log(): string {
    return this.output;
  }

  /** Waits until its log has this, and answers the match. */
  logs(pattern: RegExp, limitMs = 30_000): Promise<RegExpExecArray> {
    return waitUntil({ name: `${pattern} in the log of ${this.name}`, limitMs }, () => {
      const match = pattern.exec(this.output);
      if (!match && !this.isAlive) throw new Error(`${this.name} ended: ${this.output.slice(-2000)}`);
      return match ?? undefined;
    });
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  async ended(limitMs = 40_000): Promise<number | null> {
    await waitUntil({ name: `the end of ${this.name}`, limitMs }, () => !this.isAlive);
    return this.child.exitCode;
  }

  /** SIGKILL. For `tracked`. */
  async close(): Promise<void> {
    if (!this.isAlive) return;
    const end = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await end;
  }
}
