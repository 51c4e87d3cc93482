import { describe, expect, it } from '@jest/globals';
import type { RunExit } from '../engine/engine-deps.js';
import { shutDown } from './shutdown.js';
import { headOf } from '../testing/worker/sample-runs.js';
import { workerParts, type WorkerPartsOptions } from '../testing/worker/worker-parts.js';

const never = new Promise<never>(() => undefined);
const released: RunExit = { kind: 'released' };

function shutDownWith(options: {
  exits?: NonNullable<WorkerPartsOptions['exits']>;
  stopLoops?: () => Promise<unknown>;
  sayGoodbye?: () => Promise<void>;
}) {
  const parts = workerParts({ exits: options.exits ?? {} });
  const steps: string[] = [];
  const atOnce = new AbortController();
  parts.held.adopt(headOf('r'), parts.clock.monotonic());
  const begin = () =>
    shutDown({
      held: parts.held,
      stopLoops: options.stopLoops ?? (() => Promise.resolve()),
      heartbeats: {
        stop: () => {
          steps.push('heartbeats stop');
          return parts.heartbeats.stop();
        },
      },
      announcer: {
        sayGoodbye:
          options.sayGoodbye ??
          (async () => {
            steps.push('goodbye');
          }),
      },
      close: async () => void steps.push('close'),
      clock: parts.clock,
      graceMs: 25_000,
      atOnce: atOnce.signal,
    });
  return { ...parts, steps, atOnce, begin, execution: parts.executions[0] };
}

describe('shutDown', () => {
  it('waits for what runs, keeps its claims alive meanwhile, then says goodbye (B58, B60)', async () => {
    const { begin, clock, execution, steps, heartbeats, store } = shutDownWith({});
    await heartbeats.start();
    const ending = begin();
    await clock.advanceInTurns(20_000);
    expect(execution?.calls).toEqual(['drive', 'stop']);
    expect(execution?.claimed.guard.isAlive()).toBe(true);
    expect(store.beats.length).toBe(10);
    execution?.end({ kind: 'ended', status: 'completed' });
    await expect(ending).resolves.toBe(true);
    expect(steps).toEqual(['goodbye', 'heartbeats stop', 'close']);
    expect(clock.monotonic()).toBe(20_000);
    expect(clock.pendingCount).toBe(0);
  });

  it('interrupts what outlasts the grace period', async () => {
    const { begin, clock, execution } = shutDownWith({ exits: { interrupt: released } });
    const ending = begin();
    await clock.advanceInTurns(25_000);
    await expect(ending).resolves.toBe(true);
    expect(execution?.calls).toEqual(['drive', 'stop', 'interrupt']);
  });

  it('ends within grace + 5 s whatever hangs, and fences what is left before it says goodbye (B59)', async () => {
    const { begin, clock, execution, held } = shutDownWith({ exits: { fence: released }, stopLoops: () => never, sayGoodbye: () => never });
    const ending = begin();
    await clock.advanceInTurns(30_000);
    await expect(ending).resolves.toBe(false);
    expect(execution?.calls.slice(0, 3)).toEqual(['drive', 'stop', 'interrupt']);
    expect(execution?.calls[3]).toMatch(/^fence: .*the worker stopped/);
    expect(held.size).toBe(0);
  });

  it('does not wait for the grace period when there is nothing to wait for but a store that is away', async () => {
    const { begin, clock, execution } = shutDownWith({ stopLoops: () => never, sayGoodbye: () => never });
    execution?.end(released);
    const ending = begin();
    await clock.advanceInTurns(7001);
    await expect(ending).resolves.toBe(false);
  });

  it('takes a failed goodbye for not clean', async () => {
    const { begin, execution } = shutDownWith({ sayGoodbye: () => Promise.reject(new Error('away')) });
    execution?.end(released);
    await expect(begin()).resolves.toBe(false);
  });

  it('waits for nothing any more when it is told to end at once', async () => {
    const { begin, atOnce, clock } = shutDownWith({});
    const ending = begin();
    await clock.advanceInTurns(1000);
    atOnce.abort();
    await expect(ending).resolves.toBe(false);
    expect(clock.monotonic()).toBe(1000);
  });
});
