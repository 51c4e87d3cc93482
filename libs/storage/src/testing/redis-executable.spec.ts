import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { findRedisServer } from './redis-executable.js';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-path-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

describe('findRedisServer', () => {
  it('prefers redis-server to valkey-server, wherever they stand on PATH', async () => {
    const valkey = await program('a', 'valkey-server');
    const redis = await program('b', 'redis-server');
    expect(findRedisServer({ PATH: [join(folder, 'a'), join(folder, 'b')].join(delimiter) })).toBe(redis);
    expect(findRedisServer({ PATH: join(folder, 'a') })).toBe(valkey);
  });

  it('takes the program of MILLRACE_REDIS_SERVER before those on PATH', async () => {
    const own = await program('a', 'my-redis');
    await program('b', 'redis-server');
    expect(findRedisServer({ PATH: join(folder, 'b'), MILLRACE_REDIS_SERVER: own })).toBe(own);
  });

  it('says what to install when there is none', () => {
    expect(() => findRedisServer({ PATH: folder })).toThrow('install redis-server 7 or newer');
  });

  it('refuses a MILLRACE_REDIS_SERVER that cannot be run', () => {
    expect(() => findRedisServer({ MILLRACE_REDIS_SERVER: join(folder, 'absent') })).toThrow('not a program that can be run');
  });
});

async function program(subfolder: string, name: string): Promise<string> {
  const path = join(folder, subfolder, name);
  await mkdir(join(folder, subfolder), { recursive: true });
  await writeFile(path, '#!/bin/sh\n');
  await chmod(path, 0o755);
  return path;
}
