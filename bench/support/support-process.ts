import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import type { Lab } from '../harness/scenario.js';

/** A program of the benchmarks in a process of its own, for the length of a sample. It says one thing a line. */
export class SupportProcess {
  private readonly lines: AsyncIterator<string>;
  private errors = '';

  private constructor(
    private readonly name: string,
    private readonly child: ChildProcess,
  ) {
    if (child.stdout === null || child.stderr === null) throw new Error(`${name} has no output`);
    this.lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    child.stderr.on('data', (chunk: Buffer) => (this.errors += chunk.toString()));
    const killWithUs = () => child.kill('SIGKILL');
    process.once('exit', killWithUs);
    child.once('exit', () => process.off('exit', killWithUs));
  }

  static start(lab: Lab, file: string, args: readonly string[]): SupportProcess {
    const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    const started = new SupportProcess(basename(file), child);
    lab.onClose(() => started.close());
    return started;
  }

  get pid(): number {
    return this.child.pid ?? -1;
  }

  /** @throws Error when it ends without saying anything more */
  async says(): Promise<string> {
    const { done, value } = await this.lines.next();
    if (done === true) throw new Error(`${this.name} ended: ${this.errors.slice(-2000)}`);
    return value;
  }

  private async close(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const end = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await end;
  }
}
