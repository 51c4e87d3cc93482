import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Report, RowResult } from '../bench/harness/report.js';
import { runScenario } from '../bench/harness/sampler.js';
import { type BenchCase, type Scenario, WrongResult } from '../bench/harness/scenario.js';
import { scenarios } from '../bench/scenarios/index.js';

const root = resolve(import.meta.dirname, '..');
const program = resolve(root, 'dist/bench/main.js');
const LIMIT_MS = 110_000;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-bench-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

async function bench(...args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LIMIT_MS,
  });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output, errors };
}

async function quick(scenario: string): Promise<Report> {
  const file = join(folder, `${scenario}.json`);
  const { code, output, errors } = await bench(scenario, '--quick', '--fsync', 'everysec', '--json', file);
  if (code !== 0) throw new Error(`${scenario} ended with ${code}: ${errors}${output}`);
  expect(output).toContain(`## ${scenario}: `);
  return JSON.parse(await readFile(file, 'utf8')) as Report;
}

function medians(results: readonly RowResult[], name: string): Array<number | undefined> {
  return results.map(({ measured }) => measured[name]?.median);
}

/** What a scenario counts, apart from the times that it measures. */
const counted: Readonly<Record<string, (results: readonly RowResult[]) => void>> = {
  growth(results) {
    const steps = results.map(({ row }) => Number(row['steps']));
    for (const [at, commits = 0] of medians(results, 'commits').entries()) expect(commits - (steps[at] ?? 0)).toBe(1);
    for (const [at, calls] of medians(results, 'scriptCalls').entries()) expect(calls).toBeLessThanOrEqual((steps[at] ?? 0) + 30);
    for (const [of, most] of [
      ['StepBytesIn', 250],
      ['StepAofBytes', 200],
    ] as const) {
      expect(results.at(-1)?.measured[`firstTenth${of}`]?.median).toBeLessThanOrEqual(most);
      expect(results.at(-1)?.measured[`lastTenth${of}`]?.median).toBeLessThanOrEqual(most);
    }
    expect(results[0]?.measured['retainedBytes']?.median).toBeLessThanOrEqual(900);
  },
  'commit-cost'(results) {
    const [small = Number.NaN, large = Number.NaN] = medians(results, 'bytesIn');
    expect(large - small).toBeLessThan(20);
  },
  fanout(results) {
    // Steps that are ready together are opened and confirmed together.
    for (const { row, measured } of results) expect(measured['scriptCalls']?.median).toBeLessThan(Number(row['steps']));
  },
  bytes(results) {
    for (const { row, measured } of results) {
      const steps = Number(row['steps']);
      expect(measured['payloadsIn']?.median).toBe(1 + steps);
      expect(measured['bytesIn']?.median).toBeGreaterThan(1024 * (1 + steps));
    }
  },
};

describe('the benchmarks, small', () => {
  it.each(scenarios.map(({ name }) => name))('%s', async (name) => {
    const report = await quick(name);
    expect(report).toMatchObject({
      scenario: name,
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      machine: { cpu: expect.any(String), cores: expect.any(Number), memoryBytes: expect.any(Number), system: expect.any(String) },
      versions: { millrace: expect.any(String), node: process.version, redis: expect.stringMatching(/^\d+\./) },
      settings: { fsync: 'everysec', samples: 1, quick: true, peers: false },
    });
    expect(report.results.length).toBeGreaterThan(0);
    for (const result of report.results) {
      expect(result).toMatchObject({ row: expect.any(Object), status: 'ok', repetitions: ['ok'] });
      const summaries = Object.values(result.measured);
      expect(summaries.length).toBeGreaterThan(0);
      for (const { median, min, max, samples } of summaries) expect([median, min, max]).toEqual([samples[0], samples[0], samples[0]]);
    }
    counted[name]?.(report.results);
  });

  it('knows every scenario whose counts are checked', () => {
    expect(scenarios.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(counted)));
  });
});

describe('the command line of the benchmarks', () => {
  it('lists the scenarios', async () => {
    const { code, output } = await bench('--help');
    expect(code).toBe(0);
    for (const { name, about } of scenarios) expect(output).toMatch(new RegExp(`^  ${name} +${about.slice(0, 20)}`, 'm'));
  });

  it('names every fault in one message and measures nothing', async () => {
    const { code, output, errors } = await bench('chains', '--fsync', 'never', '--samples', '0', '--only', 'steps');
    expect({ code, output }).toEqual({ code: 2, output: '' });
    for (const fault of ['chains is no scenario', 'not never', 'not 0', 'name=value']) expect(errors).toContain(fault);
    expect(errors.trim().split('\n')).toHaveLength(1);
  });
});

describe('rows that do not finish', () => {
  const settings = { fsync: 'everysec', samples: 3, quick: false, peers: false } as const;
  const forever = () => new Promise<never>(() => undefined);

  async function run(row: Partial<BenchCase>, other: () => Promise<Record<string, number>> = async () => ({ wallMs: 1 })): Promise<Report> {
    const stopping = { row: { name: 'stopping' }, timeoutMs: 20_000, sample: forever, ...row };
    const scenario: Scenario = {
      name: 'made-up',
      about: 'for this test',
      cases: () => [stopping, { row: { name: 'other' }, timeoutMs: 20_000, sample: other }],
      ratios: (rows) => [
        {
          name: 'ratio',
          value: rows.median({ name: 'other' }, 'wallMs') / rows.median({ name: 'stopping' }, 'wallMs'),
          target: { most: 2 },
        },
      ],
    };
    return runScenario(scenario, settings);
  }

  it('are reported with how far they came, are not repeated, and leave the others alone', async () => {
    const report = await run({
      timeoutMs: 300,
      sample: (lab) => {
        lab.progress(7, 10);
        return forever();
      },
    });
    expect(report.results).toEqual([
      {
        row: { name: 'stopping' },
        status: 'timeout',
        measured: {},
        reason: 'not done in 300 ms',
        progress: { done: 7, of: 10 },
        repetitions: ['timeout', 'not_repeated', 'not_repeated'],
      },
      {
        row: { name: 'other' },
        status: 'ok',
        measured: { wallMs: { median: 1, min: 1, max: 1, samples: [1, 1, 1] } },
        repetitions: ['ok', 'ok', 'ok'],
      },
    ]);
    expect(report.ratios).toEqual([{ name: 'ratio', value: null, target: { most: 2 }, verdict: 'unmeasured' }]);
  });

  it.each([{ heapBytes: 1 }, { redisBytes: 1 }])('stop at a budget: %p', async (limits) => {
    const { results } = await run({ limits });
    expect(results[0]).toMatchObject({ status: 'resource_limit', reason: expect.stringMatching(/holds \d+ of 1 bytes/) });
  });

  it('stop at a wrong result, and count the samples that were right before it', async () => {
    let taken = 0;
    const sample = async () => {
      taken += 1;
      if (taken === 3) throw new WrongResult('6 is not 7');
      return { wallMs: taken };
    };
    const { results } = await run({ sample });
    expect(results[0]).toMatchObject({
      status: 'wrong_result',
      reason: '6 is not 7',
      measured: { wallMs: { samples: [2] } },
      repetitions: ['ok', 'wrong_result', 'not_repeated'],
    });
  });

  it('close what a sample opened, last first, also when one of it fails', async () => {
    const closed: string[] = [];
    const { results } = await run({
      sample: async (lab) => {
        lab.onClose(() => closed.push('first'));
        lab.onClose(() => {
          throw new Error('does not close');
        });
        lab.onClose(() => closed.push('last'));
        return { wallMs: 1 };
      },
    });
    expect(closed).toEqual(['last', 'first']);
    expect(results[0]).toMatchObject({ status: 'failed', reason: expect.stringContaining('does not close') });
  });
});

describe('the peers', () => {
  it('are pinned to the versions of the product', async () => {
    const dependenciesOf = async (folderName: string) =>
      (JSON.parse(await readFile(resolve(root, folderName, 'package.json'), 'utf8')) as { dependencies: Record<string, string> })
        .dependencies;
    const [{ bullmq, ioredis }, peers] = await Promise.all([dependenciesOf('.'), dependenciesOf('bench/peers')]);
    expect(peers).toEqual({ bullmq, ioredis });
  });

  it('run beside ours, and are compared', async () => {
    const file = join(folder, 'peers.json');
    const { code, errors } = await bench('fanout', '--quick', '--peers', '--json', file);
    if (code !== 0) throw new Error(errors);
    const { results, ratios } = JSON.parse(await readFile(file, 'utf8')) as Report;
    expect(results.map(({ row, status }) => [row['system'], status])).toEqual([
      ['millrace', 'ok'],
      ['bullmq', 'ok'],
    ]);
    expect(ratios.map(({ value }) => value)).toEqual([expect.any(Number)]);
  });
});
