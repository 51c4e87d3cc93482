import { readFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { resolve } from 'node:path';
import { rawCommand } from '@millrace/storage/testing';

/** Where a run was measured. No name of the machine. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly system: string;
}

/** What was measured. */
export interface Versions {
  readonly millrace: string;
  readonly node: string;
  readonly redis: string;
  readonly ioredis: string;
  readonly bullmq: string;
}

const root = resolve(import.meta.dirname, import.meta.dirname.includes('/dist/') ? '../../..' : '../..');

/** What runs this. */
export function describeMachine(): Machine {
  const all = cpus();
  return {
    cpu: all[0]?.model.trim() ?? 'unknown',
    cores: all.length,
    memoryBytes: totalmem(),
    system: `${process.platform} ${release()} ${process.arch}`,
  };
}

/** @param redisPort of a server that answers */
export async function readVersions(redisPort: number): Promise<Versions> {
  const info = await rawCommand({ port: redisPort }, 'INFO', 'server');
  const packages = JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8')) as PackageFile;
  return {
    millrace: packages.version,
    node: process.version,
    redis: /^redis_version:(.*?)\r?$/m.exec(info)?.[1] ?? 'unknown',
    ioredis: packages.dependencies['ioredis'] ?? 'unknown',
    bullmq: packages.dependencies['bullmq'] ?? 'unknown',
  };
}

interface PackageFile {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
}
