import type { JudgedRatio, Report, RowResult } from './report.js';
import type { Summary } from './statistics.js';

const NOTHING = '–';

/** The report as Markdown: a head, the rows with medians and (min–max), the ratios with their targets. */
export function toTables(report: Report, about: string): string {
  const { scenario, at, machine, versions, settings, results, ratios } = report;
  const software = `Node ${versions.node}, Redis ${versions.redis}, ioredis ${versions.ioredis}`;
  const head = [
    `## ${scenario}: ${about}`,
    '',
    `${at}, ${machine.cores} × ${machine.cpu}, ${software}, appendfsync ${settings.fsync}, ${settings.samples} samples, median (min–max)`,
  ];
  return [...head, '', ...rowTable(results), ...reasons(results), ...(ratios.length === 0 ? [] : ['', ...ratioTable(ratios)]), ''].join(
    '\n',
  );
}

function rowTable(results: readonly RowResult[]): string[] {
  const keys = [...new Set(results.flatMap(({ row }) => Object.keys(row)))];
  const names = [...new Set(results.flatMap(({ measured }) => Object.keys(measured)))];
  const hasStopped = results.some(({ status }) => status !== 'ok');
  const heads = [...keys, ...(hasStopped ? ['status'] : []), ...names];
  return table(
    heads,
    results.map((result) => [
      ...keys.map((key) => String(result.row[key] ?? NOTHING)),
      ...(hasStopped ? [statusOf(result)] : []),
      ...names.map((name) => cell(result.measured[name])),
    ]),
  );
}

function statusOf({ status, progress }: RowResult): string {
  return progress === undefined || status === 'ok' ? status : `${status} at ${progress.done} of ${progress.of}`;
}

function reasons(results: readonly RowResult[]): string[] {
  const stopped = results.filter(({ reason }) => reason !== undefined);
  return stopped.flatMap(({ row, reason = '' }) => ['', `${Object.values(row).join(' ')}: ${reason}`]);
}

function ratioTable(ratios: readonly JudgedRatio[]): string[] {
  return table(
    ['figure', 'value', 'target', 'verdict'],
    ratios.map(({ name, value, target, verdict }) => [
      name,
      value === null ? NOTHING : rounded(value),
      [target?.most === undefined ? '' : `≤ ${target.most}`, target?.least === undefined ? '' : `≥ ${target.least}`].join(''),
      verdict ?? '',
    ]),
  );
}

function cell(summary: Summary | undefined): string {
  if (summary === undefined) return NOTHING;
  const { median, min, max } = summary;
  return min === max ? rounded(median) : `${rounded(median)} (${rounded(min)}–${rounded(max)})`;
}

/** Four digits of small numbers, whole large ones. */
function rounded(value: number): string {
  if (!Number.isFinite(value)) return NOTHING;
  return Math.abs(value) >= 1000 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(4)));
}

function table(heads: readonly string[], rows: ReadonlyArray<readonly string[]>): string[] {
  const lines = [heads, heads.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`);
}
