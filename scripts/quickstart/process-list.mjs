import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identityOf } from './process-identity.mjs';

/**
 * The list, on disk, of the processes that a quickstart started, itself included. It is how the next one finds those that
 * outlived a `kill -9`, and how it knows that a number still names the same process.
 */
export class ProcessList {
  #file;
  #processes = [];

  constructor(dataFolder) {
    mkdirSync(dataFolder, { recursive: true });
    this.#file = join(dataFolder, 'processes');
  }

  /** What an earlier quickstart left: name, pid, and whether that process still runs. */
  readEarlier() {
    if (!existsSync(this.#file)) return [];
    const lines = readFileSync(this.#file, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
    return lines.map((line) => {
      const [name, pid, identity] = line.split('\t');
      return { name, pid: Number(pid), state: stateOf(Number(pid), identity) };
    });
  }

  add(name, pid) {
    this.#processes.push([name, pid, identityOf(pid)].join('\t'));
    writeFileSync(this.#file, `${this.#processes.join('\n')}\n`);
  }

  remove() {
    rmSync(this.#file, { force: true });
  }
}

function stateOf(pid, identity) {
  const found = identityOf(pid);
  if (found === null) return 'gone';
  return found === identity ? 'running' : 'another';
}
