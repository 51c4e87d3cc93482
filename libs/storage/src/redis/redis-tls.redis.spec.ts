import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { StoreUnavailable } from '@millrace/durable';
import { freePort, startRedis, testNamespace, tracked } from '../testing/index.js';
import { RedisStorage } from './redis-storage.js';

const track = tracked(afterEach);
const OPENSSL = 'openssl';

describe('a server that speaks TLS', () => {
  let folder: string;
  const file = (name: string): string => join(folder, name);
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-tls-'));
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
    const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', file('key.pem'), '-out', file('cert.pem')];
    execFileSync(OPENSSL, [...request, ...subject], { stdio: 'ignore' });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  async function startTls(): Promise<{ url: string }> {
    const port = await freePort();
    const certificate = ['--tls-cert-file', file('cert.pem'), '--tls-key-file', file('key.pem'), '--tls-ca-cert-file', file('cert.pem')];
    await track(startRedis({ args: ['--tls-port', String(port), '--tls-auth-clients', 'no', ...certificate] }));
    return { url: `rediss://127.0.0.1:${port}` };
  }

  it('is reached when its certificate is trusted', async () => {
    const { url } = await startTls();
    const storage = await track(RedisStorage.open({ url, tls: { ca: readFileSync(file('cert.pem')) }, namespace: testNamespace() }));
    await expect(storage.ping()).resolves.toBeUndefined();
  });

  it('is refused when its certificate is not, with the reason', async () => {
    const { url } = await startTls();
    const opening = RedisStorage.open({ url, namespace: testNamespace(), giveUpMs: 500 });
    await expect(opening).rejects.toThrow(StoreUnavailable);
    await expect(opening).rejects.toMatchObject({ cause: { message: expect.stringContaining('self-signed certificate') } });
  });
});
