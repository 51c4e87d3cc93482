import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from '@jest/globals';
import { freePort, tracked, waitUntil } from '@millrace/storage/testing';

const track = tracked(afterEach);
const program = fileURLToPath(new URL('../../../dist/apps/api/src/main.js', import.meta.url));

/** The built program with these settings and no others. */
class Program {
  output = '';
  private readonly child: ChildProcess;
  private readonly exited: Promise<unknown[]>;

  constructor(env: Readonly<Record<string, string>>) {
    this.child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const keep = (chunk: Buffer) => {
      this.output += chunk.toString();
    };
    this.child.stdout?.on('data', keep);
    this.child.stderr?.on('data', keep);
    this.exited = once(this.child, 'exit');
  }

  signal(name: 'SIGTERM' | 'SIGINT'): void {
    this.child.kill(name);
  }

  async exitCode(): Promise<unknown> {
    return (await this.exited)[0];
  }

  async stop(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }
}

/** A request whose body never comes: it holds the server open for its whole grace period. Resolves once the server waits for it. */
async function holdOpen(url: string): Promise<{ close(): void }> {
  const headers = { 'content-type': 'application/json', 'content-length': 10, expect: '100-continue' };
  const held = request(`${url}/v1/runs`, { method: 'POST', agent: false, headers });
  held.flushHeaders();
  await once(held, 'continue');
  // The program is killed with the request under way.
  held.on('error', () => {});
  return { close: () => held.destroy() };
}

const isLive = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(`${url}/health/live`)).status === 200;
  } catch {
    return false;
  }
};

describe('the program', () => {
  it('ends with 78 and names every wrong setting (B131)', async () => {
    const api = await track(new Program({ MILLRACE_PORT: 'abc', MILLRACE_PARTITIONS: '0', MILLRACE_HOST: '0.0.0.0' }));
    expect(await api.exitCode()).toBe(78);
    for (const name of ['MILLRACE_PORT', 'MILLRACE_PARTITIONS', 'MILLRACE_HOST']) expect(api.output).toContain(name);
    expect(api.output).not.toContain(' at ');
  });

  it('starts without Redis and stops in good order on SIGTERM (B59, B71)', async () => {
    const port = await freePort();
    const api = await track(
      new Program({ MILLRACE_PORT: String(port), MILLRACE_REDIS_URL: `redis://127.0.0.1:${await freePort()}`, MILLRACE_GRACE: '2s' }),
    );
    await waitUntil({ name: 'the program to listen', limitMs: 20_000 }, () => isLive(`http://127.0.0.1:${port}`));
    expect((await fetch(`http://127.0.0.1:${port}/health/ready`)).status).toBe(503);
    api.signal('SIGTERM');
    expect(await api.exitCode()).toBe(0);
  });

  it('ends at once on a second signal', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const redisUrl = process.env['MILLRACE_TEST_REDIS_URL'] ?? '';
    const api = await track(
      new Program({ MILLRACE_PORT: String(port), MILLRACE_REDIS_URL: redisUrl, MILLRACE_GRACE: '1m', MILLRACE_LOG_LEVEL: 'info' }),
    );
    await waitUntil(
      { name: 'the program to be ready', limitMs: 20_000 },
      async () => (await isLive(url)) && (await fetch(`${url}/health/ready`)).status === 200,
    );
    await track(holdOpen(url));
    api.signal('SIGTERM');
    await waitUntil({ name: 'the stop to begin' }, () => api.output.includes('the API stops'));
    api.signal('SIGTERM');
    expect(await api.exitCode()).toBe(1);
  });
});
