import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const KILL_LIMIT_MS = 5_000;
const SHOWN_LINES = 20;

/** A process of the quickstart, with a log file of its own. */
export class Child {
  #process;
  #isStopping = false;
  /** Resolves with a sentence when the process ended and nobody had asked it to. */
  crashed;

  /** @param start { name, command, args, env?, logFolder, hasChannel?: the process learns when this one is gone } */
  constructor({ name, command, args, env = process.env, logFolder, hasChannel = false }) {
    this.name = name;
    this.logFile = join(logFolder, `${name}.log`);
    mkdirSync(logFolder, { recursive: true });
    const log = openSync(this.logFile, 'w');
    // In a group of its own: Ctrl-C at the terminal is for the quickstart, which ends its processes one after the other.
    const stdio = ['ignore', log, log, ...(hasChannel ? ['ipc'] : [])];
    this.#process = spawn(command, args, { env, stdio, detached: true });
    closeSync(log);
    this.exited = Promise.race([once(this.#process, 'exit'), once(this.#process, 'error').then(([error]) => [error.message])]);
    this.crashed = this.exited.then(([how]) => (this.#isStopping ? new Promise(() => {}) : this.#describeCrash(how)));
  }

  get pid() {
    return this.#process.pid;
  }

  get isRunning() {
    return this.pid !== undefined && this.#process.exitCode === null && this.#process.signalCode === null;
  }

  /** The end of it is expected from now on. */
  expectEnd() {
    this.#isStopping = true;
  }

  /**
   * Ends the process: SIGTERM (or what `ask` does), and SIGKILL when it takes longer than the limit.
   * @returns {Promise<boolean>} false when it had to be killed
   */
  async stop(limitMs, ask = () => this.#process.kill('SIGTERM')) {
    this.expectEnd();
    if (!this.isRunning) return true;
    await ask();
    if (await this.#exitsWithin(limitMs)) return true;
    this.#process.kill('SIGKILL');
    await this.#exitsWithin(KILL_LIMIT_MS);
    return false;
  }

  lines() {
    return readFileSync(this.logFile, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  }

  async #exitsWithin(limitMs) {
    let timer;
    const limit = new Promise((resolve) => {
      timer = setTimeout(resolve, limitMs, false);
    });
    const isOver = await Promise.race([this.exited.then(() => true), limit]);
    clearTimeout(timer);
    return isOver;
  }

  #describeCrash(how) {
    const last = this.lines().slice(-SHOWN_LINES);
    const shown = last.length === 0 ? '(it said nothing)' : last.join('\n');
    return `${this.name} ended (${how ?? this.#process.signalCode}). The last lines of ${this.logFile}:\n${shown}`;
  }
}
