import type { Machine, Versions } from './machine.js';
import type { Progress } from './sample-lab.js';
import type { SampleStatus } from './sample.js';
import type { Ratio, Row, Settings } from './scenario.js';
import type { Summary } from './statistics.js';

/** What `--json` writes of a scenario, whole: another program can compute the table from it. */
export interface Report {
  readonly scenario: string;
  /** Start of the run, ISO 8601. */
  readonly at: string;
  readonly machine: Machine;
  readonly versions: Versions;
  readonly settings: Settings;
  readonly results: readonly RowResult[];
  readonly ratios: readonly JudgedRatio[];
}

/** One row of the table. */
export interface RowResult {
  readonly row: Row;
  /** `ok` when every repetition was. */
  readonly status: SampleStatus;
  /** Of the samples that were `ok`. */
  readonly measured: Readonly<Record<string, Summary>>;
  /** One a counted repetition; those that a stopped row did not get are `not_repeated`. */
  readonly repetitions: ReadonlyArray<SampleStatus | 'not_repeated'>;
  /** Of a row that is not `ok`: why, in words, and how far its last sample came, if it said so. */
  readonly reason?: string;
  readonly progress?: Progress;
}

/** Judged only when it has a target. `unmeasured`: a row that it needs is not there or not `ok`. */
export interface JudgedRatio extends Omit<Ratio, 'value'> {
  /** Null when it is unmeasured. */
  readonly value: number | null;
  readonly verdict?: 'met' | 'missed' | 'unmeasured';
}

/** Compares the figure with its target. */
export function judgeRatio({ name, value, target }: Ratio): JudgedRatio {
  const shown = { name, value: Number.isFinite(value) ? value : null, ...(target === undefined ? {} : { target }) };
  if (target === undefined) return shown;
  if (shown.value === null) return { ...shown, verdict: 'unmeasured' };
  const isMet = value <= (target.most ?? Number.POSITIVE_INFINITY) && value >= (target.least ?? Number.NEGATIVE_INFINITY);
  return { ...shown, verdict: isMet ? 'met' : 'missed' };
}
