import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from '@jest/globals';
import { startWorker, systemRandomness } from '@millrace/durable';
import { createPayloadCodec, errorCodec, MemoryStorage } from '@millrace/storage';
import { tracked, waitUntil } from '@millrace/storage/testing';
import { hello } from './hello.js';

const track = tracked(afterEach);
const codec = { ...createPayloadCodec(), ...errorCodec };

describe('hello', () => {
  it('answers what its steps made, in a worker without any framework', async () => {
    const storage = await track(MemoryStorage.open());
    await track(startWorker({ storage, codec, workflows: [hello], options: { name: 'hello-worker' } }));
    const lane = { queue: 'default', workflow: 'hello', version: 1 };
    const input = codec.encode({ name: 'Ada' });
    await storage.runs.submit([{ runId: 'r1', lane, input, digest: 'd', requestId: systemRandomness.bits64() }]);
    const head = await waitUntil({ name: 'the run to end' }, async () => {
      const run = await storage.inspector.getRun('r1');
      return run?.status === 'completed' ? run : undefined;
    });
    expect(codec.decode(head.output ?? '')).toEqual({ shout: 'HELLO, ADA!', letters: 11, at: expect.stringMatching(/Z$/) });
    expect(Number(head.endedAt) - head.createdAt).toBeGreaterThanOrEqual(2_000);
  });

  it('is what the README shows', () => {
    const file = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
    const [, shown] = /```ts\n(import \{ workflow \}[\s\S]*?)```/.exec(file('README.md')) ?? [];
    expect(shown).toBe(file('examples/hello.ts'));
  });
});
