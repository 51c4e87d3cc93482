import type { RedisCaller, Reply, ScriptCall } from './connection/redis-caller.js';
import { RedisCallError } from './connection/failures.js';
import { scripts } from './scripts.generated.js';

/** Scripts of one run that batch.lua carries out too. */
const BATCHED = ['submit', 'claim', 'commit', 'park', 'release', 'end'] as const;
export type BatchedScript = (typeof BATCHED)[number];

/** Most members of one call: some 20 µs of the server each. */
const MOST_MEMBERS = 100;
/** Characters of all arguments of one call, about: a larger member travels alone. UTF-8 may take 3 bytes a character. */
const MOST_CHARACTERS = 300_000;
/** Most arguments of one call: no script reads or writes more items. */
const MOST_ARGUMENTS = 1_000;
/** Ends a word in batch.lua. JSON text has none (RFC 8259 §7: control characters are escaped). */
const SEPARATOR = '\u001f';

interface Member {
  readonly call: ScriptCall;
  readonly characters: number;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: unknown) => void;
}

/** True for a script that may travel together with others. */
export function isBatched(name: string): name is BatchedScript {
  return (BATCHED as readonly string[]).includes(name);
}

/**
 * Sends the script calls of one event-loop turn that go to one server as one call, of at most 100 members. Each member is a
 * transition of its own: one that fails is called again alone, so that its error, or what mends it, is its own. A call without
 * company is sent as it is.
 */
export class ScriptBatches {
  private readonly waiting = new Map<number, Member[]>();
  /** The first partition of the group that one call may span, by partition. */
  private readonly groupOf: readonly number[];

  constructor(private readonly caller: RedisCaller) {
    const groupOf: number[] = [];
    for (const partitions of caller.topology.groups) for (const partition of partitions) groupOf[partition] = partitions[0] ?? partition;
    this.groupOf = groupOf;
  }

  /** @throws what {@link RedisCaller.script} throws */
  call(call: ScriptCall): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const member = { call, characters: charactersOf(call), resolve, reject };
      if (call.args.some(hasSeparator)) return this.sendAlone(member);
      const group = this.groupOf[call.partition] ?? call.partition;
      const waiting = this.waiting.get(group);
      if (waiting !== undefined) waiting.push(member);
      else {
        this.waiting.set(group, [member]);
        // Behind everything that this turn still has to say.
        setImmediate(() => this.flush(group));
      }
    });
  }

  private flush(group: number): void {
    const members = this.waiting.get(group) ?? [];
    this.waiting.delete(group);
    for (const batch of batchesOf(members)) {
      const [only] = batch;
      if (only !== undefined && batch.length === 1) this.sendAlone(only);
      else void this.sendTogether(batch);
    }
  }

  private sendAlone({ call, resolve, reject }: Member): void {
    this.caller.script(call).then(resolve, reject);
  }

  private async sendTogether(members: readonly Member[]): Promise<void> {
    try {
      const words = ((await this.caller.script(batchCall(members), members.length)) as string).split(SEPARATOR);
      let at = 0;
      for (const member of members) {
        const end = at + 1 + Number(words[at]);
        const answer = words.slice(at + 1, end);
        at = end;
        if (answer.length === 0) this.sendAlone(member);
        else member.resolve(answer);
      }
    } catch (error) {
      for (const member of members) {
        // The script as a whole failed: each member gets an answer, or an error, of its own.
        if (error instanceof RedisCallError) this.sendAlone(member);
        else member.reject(error);
      }
    }
  }
}

function batchesOf(members: readonly Member[]): Member[][] {
  const batches: Member[][] = [];
  let batch: Member[] = [];
  let characters = 0;
  let args = 0;
  for (const member of members) {
    characters += member.characters;
    args += member.call.args.length;
    if (batch.length >= MOST_MEMBERS || characters > MOST_CHARACTERS || args > MOST_ARGUMENTS) {
      if (batch.length > 0) batches.push(batch);
      batch = [];
      characters = member.characters;
      args = member.call.args.length;
    }
    batch.push(member);
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}

/** Keys that members share are sent once. */
function batchCall(members: readonly Member[]): ScriptCall {
  const places = new Map<string, number>();
  const words: Array<string | number> = [];
  for (const { call } of members) {
    words.push(call.name, call.keys.length);
    for (const key of call.keys) {
      let place = places.get(key);
      if (place === undefined) places.set(key, (place = places.size + 1));
      words.push(place);
    }
    words.push(call.args.length);
    for (const arg of call.args) words.push(arg);
  }
  const args = [words.join(SEPARATOR) + SEPARATOR];
  const [first, ...others] = members.map(({ call }) => call);
  const name = first !== undefined && others.every((other) => other.name === first.name) ? first.name : 'batch';
  return { name, script: scripts.batch, partition: first?.partition ?? 0, keys: [...places.keys()], args };
}

function hasSeparator(arg: string | number): boolean {
  return typeof arg === 'string' && arg.includes(SEPARATOR);
}

function charactersOf({ args }: ScriptCall): number {
  let sum = 0;
  for (const arg of args) sum += typeof arg === 'string' ? arg.length : 8;
  return sum;
}
