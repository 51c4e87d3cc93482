import { describe, expect, it } from '@jest/globals';
import { checksumOf, finalChecksum, simulate } from './simulate.js';

const input = { id: 'b', runtimeMs: 40 };
const predecessors = { a2: { checksum: 'f'.repeat(16) }, a1: { checksum: '0'.repeat(16) } };

describe('simulate', () => {
  it('waits as long as its task took, then answers its checksum', async () => {
    const waits: unknown[] = [];
    const { signal } = new AbortController();
    const output = await simulate(input, predecessors, signal, async (ms, given) => void waits.push(ms, given));
    expect(waits).toEqual([40, signal]);
    expect(output).toEqual({ checksum: checksumOf('b', predecessors) });
  });

  it('does not depend on the order in which predecessors are given', () => {
    expect(checksumOf('b', { a1: predecessors.a1, a2: predecessors.a2 })).toBe(checksumOf('b', predecessors));
    expect(checksumOf('b', {})).toMatch(/^[0-9a-f]{16}$/);
    expect(checksumOf('b', {})).not.toBe(checksumOf('c', {}));
    expect(finalChecksum(predecessors)).toBe(finalChecksum({ a1: predecessors.a1, a2: predecessors.a2 }));
  });

  it('stops with the reason of its signal, before and during the wait', async () => {
    const reason = new Error('cancelled');
    const waits: number[] = [];
    await expect(simulate(input, {}, AbortSignal.abort(reason), async (ms) => void waits.push(ms))).rejects.toBe(reason);
    expect(waits).toEqual([]);
    const controller = new AbortController();
    const running = simulate({ id: 'b', runtimeMs: 86_400_000 }, {}, controller.signal);
    controller.abort(reason);
    await expect(running).rejects.toBe(reason);
  });

  it('ends by a timer of its own when none is given', async () => {
    await expect(simulate({ id: 'b', runtimeMs: 0 }, {}, new AbortController().signal)).resolves.toEqual({ checksum: checksumOf('b', {}) });
  });
});
