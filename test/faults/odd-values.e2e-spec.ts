import { afterEach, describe, expect, it } from '@jest/globals';
import { tracked } from '@millrace/storage/testing';
import { oddValue, oddValueNames } from '../fixtures/odd-values.js';
import { FaultBench } from '../support/fault-bench.js';

const track = tracked(afterEach);

/** What is refused, and the path in the value that the error names. */
const refused: Readonly<Record<string, { readonly code: string; readonly path: string }>> = {
  circular: { code: 'payload_circular', path: '$.inner.back' },
  function: { code: 'payload_unsupported', path: '$.deep[0].f' },
  'five-megabytes': { code: 'payload_too_large', path: 'result of step odd' },
  'huge-message': { code: 'payload_too_large', path: 'result of step odd' },
};

describe('odd values', () => {
  it('each survives a round trip exactly or is refused naming its path; none crashes a worker or poisons a record', async () => {
    const bench = await FaultBench.open(track);
    const worker = await bench.worker();
    for (const value of oddValueNames) {
      const head = await bench.ended(await bench.submit('odd', { value, how: 'return' }));
      const refusal = refused[value];
      if (refusal) {
        expect([value, head.status]).toEqual([value, 'failed']);
        const cause = bench.decodeError(head.error).cause as Error & { code: string };
        expect([value, cause.code]).toEqual([value, refusal.code]);
        expect(cause.message).toContain(refusal.path);
      } else {
        expect([value, head.status]).toEqual([value, 'completed']);
        expect(bench.decode(head.output)).toEqual(oddValue(value));
      }
      const thrown = await bench.ended(await bench.submit('odd', { value, how: 'throw' }));
      expect([value, thrown.status]).toEqual([value, 'failed']);
      expect(bench.decodeError(thrown.error).code).toBe('step_failed');
      expect(Buffer.byteLength(thrown.error ?? '')).toBeLessThanOrEqual(2_048);
    }
    expect(await bench.ledger({ event: 'enter' })).toHaveLength(2 * oddValueNames.length);
    expect(({} as Record<string, unknown>)['isAdmin']).toBeUndefined();
    expect(worker.isAlive).toBe(true);
    await bench.audit();
  });

  it('a rejected promise that nobody awaits does not end the worker', async () => {
    const bench = await FaultBench.open(track);
    const worker = await bench.worker();
    const head = await bench.ended(await bench.submit('odd', { value: 'text', how: 'forget' }));
    expect(bench.decode(head.output)).toBe('alive');
    await worker.hears('unhandled-rejection');
    expect(worker.isAlive).toBe(true);
    await bench.audit();
  });
});
