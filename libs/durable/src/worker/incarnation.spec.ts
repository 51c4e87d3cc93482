import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { WorkerAnnouncement } from '../ports/registry.js';
import { fixedRandomness } from '../testing/fixed-randomness.js';
import {
  type HostFacts,
  incarnationOf,
  isProvenDead,
  ownStartTime,
  parseProcessStat,
  type ProcessState,
  readHostFacts,
} from './incarnation.js';

const earlier: WorkerAnnouncement = {
  incarnation: 'w~1',
  name: 'w',
  host: 'h',
  pid: 7,
  hostId: 'boot/ns',
  processStart: '100',
  startedAt: 1,
  concurrency: 1,
  lanes: [],
  tasks: [],
  goodbye: false,
};
const factsWith = (state: ProcessState, hostId: string | null = 'boot/ns'): HostFacts => ({
  host: 'h',
  pid: 8,
  hostId,
  process: () => state,
});

describe('isProvenDead', () => {
  it.each<[string, ProcessState, boolean]>([
    ['its process is gone', { kind: 'gone' }, true],
    ['its pid belongs to another process', { kind: 'alive', startedAt: '101' }, true],
    ['it runs, or is stopped', { kind: 'alive', startedAt: '100' }, false],
    ['its start time cannot be read', { kind: 'unknown' }, false],
  ])('when %s', (_, state, expected) => {
    expect(isProvenDead(earlier, factsWith(state), false)).toBe(expected);
  });

  it('has no proof from another host, boot or pid namespace, nor without host ids', () => {
    expect(isProvenDead(earlier, factsWith({ kind: 'gone' }, 'boot2/ns'), false)).toBe(false);
    expect(isProvenDead({ ...earlier, hostId: null }, factsWith({ kind: 'gone' }, null), false)).toBe(false);
  });

  it('has none from a pid that lives when the start time was never told', () => {
    expect(isProvenDead({ ...earlier, processStart: null }, factsWith({ kind: 'alive', startedAt: '100' }), false)).toBe(false);
  });

  it('believes a goodbye and an exclusive name', () => {
    const alive = factsWith({ kind: 'alive', startedAt: '100' });
    expect(isProvenDead({ ...earlier, goodbye: true }, alive, false)).toBe(true);
    expect(isProvenDead(earlier, alive, true)).toBe(true);
  });
});

describe('incarnationOf', () => {
  it('is another one at each start (B08)', () => {
    const random = fixedRandomness();
    expect(incarnationOf('w', random)).not.toBe(incarnationOf('w', random));
  });
});

describe('parseProcessStat', () => {
  it('reads past any program name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 20 }), (name) => {
        const rest = Array.from({ length: 18 }, (_, at) => at).join(' ');
        expect(parseProcessStat(`12 (${name}) S ${rest} 4711 99 0\n`)).toEqual({ state: 'S', startedAt: '4711' });
      }),
    );
  });

  it('answers null for anything else', () => {
    expect(parseProcessStat('')).toBeNull();
    expect(parseProcessStat('12 (x) S 1 2')).toBeNull();
  });
});

const onLinux = process.platform === 'linux' ? describe : describe.skip;
onLinux('readHostFacts', () => {
  it('knows this process, and a stopped one as alive', async () => {
    const facts = readHostFacts();
    expect(facts.hostId).toMatch(/^[0-9a-f-]{36}\/pid:\[\d+\]$/);
    expect(ownStartTime(facts)).toMatch(/^\d+$/);
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    await once(child, 'spawn');
    const exited = once(child, 'exit');
    child.kill('SIGSTOP');
    expect(facts.process(child.pid as number)).toMatchObject({ kind: 'alive' });
    child.kill('SIGKILL');
    await exited;
    expect(facts.process(child.pid as number)).toEqual({ kind: 'gone' });
  });
});
