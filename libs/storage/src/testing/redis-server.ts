import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import { rawCommand, RedisReplyError } from './raw-command.js';
import { findRedisServer } from './redis-executable.js';
import { waitUntil } from './wait-until.js';

/** How a server of a test is started. */
export interface StartRedisOptions {
  /** Data folder. @defaultValue a new one under the system's temporary folder, removed by `stop()` */
  readonly dir?: string;
  /** @defaultValue a free one */
  readonly port?: number;
  /** Further server arguments, after ours, so that they win. */
  readonly args?: readonly string[];
  /** @defaultValue 'always' */
  readonly appendfsync?: 'always' | 'everysec' | 'no';
}

/** A Redis server process that belongs to a test. */
export interface RedisServer {
  readonly url: string;
  readonly port: number;
  readonly dir: string;
  /** Of the process that runs now, or ran last. */
  readonly pid: number;
  /** Ends the process for good (SIGTERM, after 5 s SIGKILL) and removes the folder if `startRedis` made it. */
  stop(): Promise<void>;
  /** SIGKILL; the data stays for `restart()`. */
  kill(): Promise<void>;
  /** Starts the process again on the same port and data, after ending it in good order if it still runs. */
  restart(): Promise<void>;
  /** SIGSTOP: connections stay open and nothing is answered. */
  pause(): Promise<void>;
  /** SIGCONT. */
  resume(): void;
}

const START_LIMIT_MS = 20_000;
const STOP_LIMIT_MS = 5_000;
const PORT_TRIES = 20;

class PortTakenError extends Error {
  override readonly name = 'PortTakenError';
}

/**
 * Starts a Redis (or Valkey) server on 127.0.0.1 with its own folder and answers when it answers PING. It writes an
 * append-only file and never a snapshot, so what a test finds after `kill()` and `restart()` came from that file.
 *
 * @throws Error when no server program is installed, or when it does not come up; the message carries its log.
 */
export async function startRedis(options: StartRedisOptions = {}): Promise<RedisServer> {
  const executable = findRedisServer();
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'millrace-redis-')));
  const server = new OwnedRedisServer(executable, dir, options);
  try {
    await server.startOnFreePort();
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

class OwnedRedisServer implements RedisServer {
  port: number;
  private child: ChildProcess | undefined;
  private log = '';
  private isStopped = false;

  constructor(
    private readonly executable: string,
    readonly dir: string,
    private readonly options: StartRedisOptions,
  ) {
    this.port = options.port ?? 0;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  get pid(): number {
    const pid = this.child?.pid;
    if (pid === undefined) {
      throw new Error('this server was never started');
    }
    return pid;
  }

  async startOnFreePort(): Promise<void> {
    for (let tried = 1; ; tried += 1) {
      this.port = this.options.port ?? (await freePort());
      try {
        return await this.launch();
      } catch (error) {
        if (!(error instanceof PortTakenError) || this.options.port !== undefined || tried >= PORT_TRIES) {
          throw error;
        }
      }
    }
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.terminate();
    if (this.options.dir === undefined) {
      await rm(this.dir, { recursive: true, force: true });
    }
  }

  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  async restart(): Promise<void> {
    if (this.isStopped) {
      throw new Error('a stopped server does not restart; use kill() to come back to its data');
    }
    await this.terminate();
    await this.launch();
  }

  async pause(): Promise<void> {
    const pid = this.pid;
    process.kill(pid, 'SIGSTOP');
    if (process.platform === 'linux') {
      // The signal is delivered a moment after kill(2) returns; a command sent in between would still be answered.
      await waitUntil({ name: `process ${pid} to be stopped`, limitMs: 2_000, pollMs: 1 }, () => isProcessStopped(pid));
    }
  }

  resume(): void {
    process.kill(this.pid, 'SIGCONT');
  }

  private async launch(): Promise<void> {
    this.log = '';
    const child = spawn(this.executable, this.serverArguments(), { stdio: ['ignore', 'pipe', 'pipe'] });
    this.child = child;
    const keepLog = (chunk: Buffer): void => {
      this.log = (this.log + chunk.toString()).slice(-8_192);
    };
    child.stdout.on('data', keepLog);
    child.stderr.on('data', keepLog);
    const killWithUs = (): void => {
      child.kill('SIGKILL');
    };
    process.once('exit', killWithUs);
    child.once('exit', () => process.off('exit', killWithUs));
    await once(child, 'spawn');
    await waitUntil({ name: `${this.executable} on port ${this.port}`, limitMs: START_LIMIT_MS }, () => this.isReady(child));
  }

  private serverArguments(): string[] {
    const settings = {
      bind: '127.0.0.1',
      port: String(this.port),
      dir: this.dir,
      daemonize: 'no',
      appendonly: 'yes',
      appendfsync: this.options.appendfsync ?? 'always',
      'auto-aof-rewrite-percentage': '0',
      save: '',
      'maxmemory-policy': 'noeviction',
    };
    return [...Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]), ...(this.options.args ?? [])];
  }

  private async isReady(child: ChildProcess): Promise<boolean> {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw this.startFailure(child);
    }
    try {
      await rawCommand({ port: this.port }, 'PING');
      // Somebody else's server may answer on a port that ours is about to fail to bind.
      const info = await rawCommand({ port: this.port }, 'INFO', 'server');
      return info.includes(`process_id:${child.pid}\r\n`);
    } catch (error) {
      return isPasswordAsked(error);
    }
  }

  private startFailure(child: ChildProcess): Error {
    const taken = this.log.includes('Address already in use');
    const message = `${this.executable} on port ${this.port} ended with ${child.exitCode ?? child.signalCode}: ${this.log}`;
    return taken ? new PortTakenError(message) : new Error(message);
  }

  private async terminate(): Promise<void> {
    // A paused process keeps SIGTERM pending until it is continued.
    if (this.isRunning()) {
      this.resume();
    }
    if (!(await this.end('SIGTERM', STOP_LIMIT_MS))) {
      await this.end('SIGKILL');
    }
  }

  /** Answers whether the process has ended within the limit. */
  private async end(signal: 'SIGTERM' | 'SIGKILL', limitMs = START_LIMIT_MS): Promise<boolean> {
    const child = this.child;
    if (child === undefined || !this.isRunning()) {
      return true;
    }
    const exited = once(child, 'exit').then(() => true);
    child.kill(signal);
    const limit = AbortSignal.timeout(limitMs);
    return Promise.race([exited, once(limit, 'abort').then(() => false)]);
  }

  private isRunning(): boolean {
    const child = this.child;
    return child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
  }
}

/** A server started with `requirepass` answers nothing else before a password; it is up all the same. */
function isPasswordAsked(error: unknown): boolean {
  return error instanceof RedisReplyError && error.message.startsWith('NOAUTH');
}

async function isProcessStopped(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The state is the first field after the program's name, which stands in brackets and may hold anything.
  return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T');
}
