import { systemClock } from '@millrace/durable';
import { startRedis } from '@millrace/storage/testing';
import { describeMachine, readVersions } from './machine.js';
import { judgeRatio, type Report, type RowResult } from './report.js';
import { has, rowsOf } from './rows.js';
import { type SampleOutcome, takeSample } from './sample.js';
import type { BenchCase, Row, Scenario, Settings } from './scenario.js';
import { summarize } from './statistics.js';

/** What a run tells while it goes on. */
export interface SamplerOptions {
  /** Only the rows that have all of these values. @defaultValue every row */
  readonly only?: Row;
  /** One line for people, after each sample. */
  readonly say?: (line: string) => void;
}

/** The outcomes of a row so far. */
class Taken {
  readonly outcomes: SampleOutcome[] = [];
  private stopped: SampleOutcome | null = null;

  constructor(readonly benchCase: BenchCase) {}

  get isStopped(): boolean {
    return this.stopped !== null;
  }

  /** @param isCounted false for a warm-up, which counts only when it stops the row */
  add(outcome: SampleOutcome, isCounted: boolean): void {
    if (outcome.status !== 'ok') this.stopped = outcome;
    if (isCounted || outcome.status !== 'ok') this.outcomes.push(outcome);
  }

  result(samples: number): RowResult {
    const { row } = this.benchCase;
    const statuses = this.outcomes.map(({ status }) => status);
    const missing = Array.from({ length: Math.max(0, samples - statuses.length) }, () => 'not_repeated' as const);
    const common = { row, measured: this.summaries(), repetitions: [...statuses, ...missing] };
    if (this.stopped === null || this.stopped.status === 'ok') return { ...common, status: 'ok' };
    const { status, reason, progress } = this.stopped;
    return { ...common, status, reason, ...(progress === null ? {} : { progress }) };
  }

  private summaries(): RowResult['measured'] {
    const samples = this.outcomes.flatMap((outcome) => (outcome.status === 'ok' ? [outcome.measured] : []));
    const names = [...new Set(samples.flatMap((measured) => Object.keys(measured)))];
    return Object.fromEntries(names.map((name) => [name, summarize(samples.map((measured) => measured[name] ?? Number.NaN))]));
  }
}

/**
 * Takes the samples of a scenario: for each number of a sample every row once, so that what is compared alternates; before that
 * each row once as a warm-up that does not count (not with `quick`). A row that stops is not repeated.
 * @throws Error when two rows are equal, or `only` fits none
 */
export async function runScenario(
  scenario: Scenario,
  settings: Settings,
  { only = {}, say = () => undefined }: SamplerOptions = {},
): Promise<Report> {
  const at = new Date(systemClock.wall()).toISOString();
  const rows = scenario.cases(settings).filter(({ row }) => has(row, only));
  assertRows(scenario, rows);
  const taken = rows.map((each) => new Taken(each));
  for (let round = settings.quick ? 1 : 0; round <= settings.samples; round++) {
    for (const each of taken.filter(({ isStopped }) => !isStopped)) {
      const outcome = await takeSample(each.benchCase, settings);
      each.add(outcome, round > 0);
      say(line(scenario, round, settings, each.benchCase.row, outcome));
    }
  }
  const results = taken.map((each) => each.result(settings.samples));
  const ratios = (scenario.ratios?.(rowsOf(results)) ?? []).map(judgeRatio);
  return { scenario: scenario.name, at, machine: describeMachine(), versions: await versions(), settings, results, ratios };
}

function assertRows({ name }: Scenario, cases: readonly BenchCase[]): void {
  if (cases.length === 0) throw new Error(`${name} has no such row`);
  const keys = cases.map(({ row }) => JSON.stringify(row));
  if (new Set(keys).size < keys.length) throw new Error(`${name} has rows with equal keys`);
}

async function versions(): Promise<Report['versions']> {
  const redis = await startRedis();
  try {
    return await readVersions(redis.port);
  } finally {
    await redis.stop();
  }
}

function line({ name }: Scenario, round: number, { samples }: Settings, row: Row, outcome: SampleOutcome): string {
  const which = round === 0 ? 'warm-up' : `${round}/${samples}`;
  const key = Object.values(row).join(' ');
  return `${name} ${which} ${key}: ${outcome.status === 'ok' ? 'ok' : `${outcome.status}: ${outcome.reason}`}`;
}
