import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { systemRandomness } from '@millrace/durable';
import { RedisStorage } from '@millrace/storage';
import { rawCommand, type RedisServer, startRedis, tracked } from '@millrace/storage/testing';

const track = tracked(afterEach);
const script = resolve(import.meta.dirname, '../scripts/audit.mjs');
const lane = { queue: 'default', workflow: 'w', version: 1 };

function audit(redis: Pick<RedisServer, 'url'>, ...args: string[]) {
  const env = { ...process.env, MILLRACE_REDIS_URL: redis.url, MILLRACE_NAMESPACE: 'audited', NODE_OPTIONS: '' };
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { env, encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('npm run audit', () => {
  it('finds a run whose activation somebody deleted, mends it when it is told to, and then finds nothing', async () => {
    const redis = await track(startRedis());
    const storage = await track(RedisStorage.open({ url: redis.url, namespace: 'audited', partitions: 1 }));
    await storage.runs.submit([{ runId: 'r1', lane, input: 'null', digest: 'd', requestId: systemRandomness.bits64() }]);
    expect(audit(redis)).toEqual({ status: 0, stdout: '', stderr: 'namespace audited: nothing is wrong\n' });

    await rawCommand({ port: redis.port }, 'DEL', '{audited:0}:ready:default|w|1');
    const found = audit(redis);
    expect(found).toMatchObject({ status: 1, stderr: 'namespace audited: 1 found, 1 left\n' });
    expect(found.stdout).toBe('activation-lost\tr1\t{audited:0}:run:r1\tcan be mended with --repair\n');

    expect(audit(redis, '--repair')).toMatchObject({ status: 0, stdout: expect.stringMatching(/mended\n$/) });
    expect(audit(redis)).toMatchObject({ status: 0, stdout: '' });
  });

  it('says why it could not be made', () => {
    expect(audit({ url: 'redis://127.0.0.1:1' })).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining('did not answer'),
    });
    expect(audit({ url: 'redis://127.0.0.1:1' }, '--mend')).toMatchObject({ status: 2, stderr: expect.stringContaining('--mend') });
  });
});
