import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ConfigurationError } from '../core/errors.js';
import { resolveWorkerOptions } from './worker-options.js';

const context = { hostName: 'host-1', knownQueues: ['default', 'printing'] };
const resolve = (options: object) => resolveWorkerOptions(options, context);

function problemsOf(options: object): string[] {
  try {
    resolve(options);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.details['problems'] as string[];
    throw error;
  }
  return [];
}

describe('resolveWorkerOptions', () => {
  it('has the documented defaults, frozen', () => {
    const resolved = resolve({});
    expect(resolved).toMatchObject({
      name: 'host-1',
      exclusiveName: false,
      concurrency: 50,
      claims: 200,
      leaseMs: 15_000,
      heartbeatMs: 5000,
      lingerMs: 2000,
      graceMs: 25_000,
      abandonMs: 25_000,
      maxBlockMs: 60_000,
      interruptions: 20,
      activationBudget: 5,
      pumpMs: 800,
      reclaimIdleMs: 5000,
      blockMs: 5000,
      queues: null,
      attempts: 3,
    });
    expect(Object.isFrozen(resolved)).toBe(true);
  });

  it('keeps defaults in step with what was chosen', () => {
    expect(resolve({ lease: '6s', concurrency: 500 })).toMatchObject({ heartbeatMs: 2000, claims: 500 });
    expect(resolve({ lease: '30s', heartbeat: '10s' })).toMatchObject({ reclaimIdleMs: 10_000 });
    expect(resolve({ lease: '2m' })).toMatchObject({ maxBlockMs: 120_000 });
  });

  it.each([0, -1, 1.5, '5', ' 5 ', Number.NaN, Number.POSITIVE_INFINITY, 1e9, null, true])(
    'refuses concurrency %p (B131)',
    (concurrency) => {
      expect(problemsOf({ concurrency })).toEqual([expect.stringMatching(/^concurrency must be a whole number from 1 to 10000, not /)]);
    },
  );

  it.each(['', 'abc', ' 5s ', '-1s', '1e9', Number.NaN, Number.POSITIVE_INFINITY, -1, null])('refuses lease %p (B131)', (lease) => {
    expect(problemsOf({ lease })).toEqual([expect.stringMatching(/^lease must be/)]);
  });

  it('names all faults in one error, with what was written', () => {
    expect(
      problemsOf({ concurrency: 0, lease: '1s', grace: 'soon', queues: [], exclusiveName: 'yes', backoff: { type: 'fixed' } }),
    ).toEqual([
      'concurrency must be a whole number from 1 to 10000, not 0',
      'lease must be from 3s to 1h, not "1s"',
      expect.stringMatching(/^grace must be .*"soon"/),
      'exclusiveName must be true or false, not "yes"',
      expect.stringMatching(/^backoff\.delay must be/),
      'queues must be a list of at least one queue name, not an object',
    ]);
  });

  it('refuses unknown options and unknown queues, and says what was meant', () => {
    expect(problemsOf({ concurency: 5, queues: ['print1ng'] })).toEqual([
      'concurency is not a worker option; did you mean concurrency?',
      'queues: no workflow of this worker is in queue "print1ng"; did you mean printing?',
    ]);
  });

  it.each([
    [{ lease: '6s', heartbeat: '5s' }, /^heartbeat \("5s"\) must be at most a third of the lease \(6s\)/],
    [{ lease: '90s', maxBlock: '1m' }, /^maxBlock \("1m"\) must be at least the lease/],
    [{ reclaimIdle: '1s' }, /^reclaimIdle \("1s"\) must be at least the heartbeat \(5s\)/],
  ])('refuses the contradiction in %p (B07)', (options, message) => {
    expect(problemsOf(options)).toEqual([expect.stringMatching(message)]);
  });

  it('allows short leases for tests only', () => {
    expect(problemsOf({ lease: '1500ms' })).toHaveLength(1);
    expect(resolve({ lease: '1500ms', testing: true }).heartbeatMs).toBe(500);
  });

  it('makes a valid name of any host name, and refuses a wrong one that was chosen', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (hostName) => {
        expect(resolveWorkerOptions({}, { ...context, hostName }).name).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]{0,179}$/);
      }),
    );
    expect(problemsOf({ name: 'no spaces' })).toHaveLength(1);
    expect(problemsOf({ name: 'n'.repeat(181) })).toEqual(['name has more than 180 characters']);
  });
});
