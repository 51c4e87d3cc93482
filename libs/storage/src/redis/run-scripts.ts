import type { Lane } from '@millrace/durable';
import type { RedisCaller, Reply } from './connection/redis-caller.js';
import type { IndexClass, StoreKeys } from './keys.js';
import { isBatched, ScriptBatches } from './script-batches.js';
import { scripts } from './scripts.generated.js';
import { statusWord, type StatusOf, type StatusScript } from './status.js';

/** Answer of a script: its status word and what follows it. */
export interface ScriptAnswer<Name extends StatusScript> {
  readonly status: StatusOf<Name>;
  readonly rest: readonly Reply[];
}

/** Calls the scripts of one run with the keys that they name. */
export class RunScripts {
  private readonly batches: ScriptBatches;

  constructor(
    readonly caller: RedisCaller,
    readonly keys: StoreKeys,
  ) {
    this.batches = new ScriptBatches(caller);
  }

  /** Calls a script whose keys are the run's and its surroundings', in the order of run-keys.lua. */
  ofRun<Name extends StatusScript>(
    name: Name,
    run: Readonly<{ runId: string; lane: Lane; ended?: IndexClass }>,
    args: ReadonlyArray<string | number>,
  ): Promise<ScriptAnswer<Name>> {
    return this.call(name, run.runId, this.keys.ofRun(run.runId, run.lane, run.ended), args);
  }

  call<Name extends StatusScript>(
    name: Name,
    runId: string,
    keys: readonly string[],
    args: ReadonlyArray<string | number>,
  ): Promise<ScriptAnswer<Name>> {
    const call = { name, script: scripts[name], partition: this.keys.partitionOf(runId), keys, args };
    const replied = isBatched(name) ? this.batches.call(call) : this.caller.script(call);
    return replied.then((reply) => {
      const [word, ...rest] = Array.isArray(reply) ? (reply as readonly Reply[]) : [reply];
      return { status: statusWord(name, word), rest };
    });
  }

  /** The lane of a run as its record names it; null when there is no such record. */
  async laneOf(runId: string): Promise<string | null> {
    const reply = await this.caller.command(this.keys.partitionOf(runId), ['HGET', this.keys.run(runId), 'L']);
    return typeof reply === 'string' ? reply : null;
  }
}
