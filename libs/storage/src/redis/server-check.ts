import { ConfigurationError } from '@millrace/durable';
import { RedisCallError } from './connection/failures.js';
import type { RedisCaller } from './connection/redis-caller.js';

/** What a server says of itself, as far as durability hangs on it. Null: it does not tell. */
export interface ServerFacts {
  readonly version: string;
  readonly evictionPolicy: string | null;
  readonly isAppendOnly: boolean | null;
  readonly appendFsync: string | null;
}

/** Oldest Redis whose commands the store uses. */
const OLDEST_MAJOR = 7;

/** Reads a server's settings. CONFIG may be forbidden, INFO has most of the same. */
export async function readServerFacts(caller: RedisCaller, partition: number): Promise<ServerFacts> {
  const info = parseInfo(String(await caller.command(partition, ['INFO'])));
  const config = await readConfig(caller, partition);
  const appendOnly = info.get('aof_enabled');
  return {
    version: info.get('redis_version') ?? '0',
    evictionPolicy: config.get('maxmemory-policy') ?? info.get('maxmemory_policy') ?? null,
    isAppendOnly: appendOnly === undefined ? null : appendOnly === '1',
    appendFsync: config.get('appendfsync') ?? null,
  };
}

/**
 * Refuses a server on which the store cannot keep its promises, and answers what an operator should know of one on which
 * it keeps weaker ones. @throws ConfigurationError naming every reason
 */
export function judgeServer(facts: ServerFacts): string[] {
  const problems: string[] = [];
  if (Number.parseInt(facts.version, 10) < OLDEST_MAJOR)
    problems.push(`Redis ${facts.version} is too old; ${OLDEST_MAJOR}.0 is the oldest that works`);
  if (facts.evictionPolicy !== null && facts.evictionPolicy !== 'noeviction') {
    problems.push(`maxmemory-policy ${facts.evictionPolicy} can drop runs; set it to noeviction`);
  }
  if (problems.length > 0) throw new ConfigurationError(problems);
  return warningsOf(facts);
}

function warningsOf({ evictionPolicy, isAppendOnly, appendFsync }: ServerFacts): string[] {
  const warnings: string[] = [];
  if (evictionPolicy === null) warnings.push('the server does not tell its maxmemory-policy; it must be noeviction');
  if (isAppendOnly === false) warnings.push('appendonly is off: a restart of Redis loses runs');
  if (isAppendOnly === true && appendFsync === 'everysec')
    warnings.push('appendfsync is everysec: a power loss loses up to 2 s of confirmed work');
  if (isAppendOnly === true && appendFsync === 'no')
    warnings.push('appendfsync is no: a power loss loses confirmed work of half a minute or more');
  return warnings;
}

async function readConfig(caller: RedisCaller, partition: number): Promise<Map<string, string>> {
  try {
    const words = ['CONFIG', 'GET', 'maxmemory-policy', 'appendfsync'] as const;
    const flat = (await caller.command(partition, [...words])) as readonly string[];
    return new Map(flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1] ?? ''] as const] : [])));
  } catch (error) {
    // A hosted server forbids CONFIG (NOPERM, or the command is renamed away).
    if (error instanceof RedisCallError) return new Map();
    throw error;
  }
}

function parseInfo(text: string): Map<string, string> {
  return new Map(
    text.split('\r\n').flatMap((line) => {
      const colon = line.indexOf(':');
      return colon < 0 ? [] : [[line.slice(0, colon), line.slice(colon + 1)] as const];
    }),
  );
}
