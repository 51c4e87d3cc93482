import { rawCommand } from '@millrace/storage/testing';

/** How far the counters of a server went between two readings, without what the readings themselves cost. */
export interface Counted {
  /** Protocol bytes that the server has read. */
  readonly bytesIn: number;
  /** Protocol bytes that it has written. */
  readonly bytesOut: number;
  /** Growth of the append-only file, what still waits to be written included. */
  readonly aofBytes: number;
  /** Calls of `EVALSHA`: round trips that change something. */
  readonly scriptCalls: number;
  /** Time that the server spent in them, µs; not in it is what it waited for the disk. */
  readonly scriptUs: number;
}

/** One reading. */
export interface Reading extends Counted {
  /** Length of its answer: counted by the next reading, not by this one. */
  readonly answerBytes: number;
}

const WORDS = ['INFO', 'stats', 'persistence', 'commandstats'];
const REQUEST_BYTES = WORDS.reduce((sum, word) => sum + `$${word.length}\r\n${word}\r\n`.length, `*${WORDS.length}\r\n`.length);

/** Reads over a connection of its own. */
export async function readCounters(port: number): Promise<Reading> {
  const info = await rawCommand({ port, timeoutMs: 10_000 }, ...WORDS);
  const number = (name: string) => {
    const found = new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1];
    if (found === undefined) throw new Error(`the server tells no ${name}`);
    return Number(found);
  };
  const [, calls = 0, usec = 0] = /^cmdstat_evalsha:calls=(\d+),usec=(\d+)/m.exec(info) ?? [];
  return {
    bytesIn: number('total_net_input_bytes'),
    bytesOut: number('total_net_output_bytes'),
    aofBytes: number('aof_current_size') + number('aof_buffer_length'),
    scriptCalls: Number(calls),
    scriptUs: Number(usec),
    answerBytes: `$${Buffer.byteLength(info)}\r\n\r\n`.length + Buffer.byteLength(info),
  };
}

/** What happened between two readings that follow each other. */
export function between(from: Reading, to: Reading): Counted {
  return {
    // A request is counted before it is carried out, an answer after it was sent.
    bytesIn: to.bytesIn - from.bytesIn - REQUEST_BYTES,
    bytesOut: to.bytesOut - from.bytesOut - from.answerBytes,
    aofBytes: to.aofBytes - from.aofBytes,
    scriptCalls: to.scriptCalls - from.scriptCalls,
    scriptUs: to.scriptUs - from.scriptUs,
  };
}
