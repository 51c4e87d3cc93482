import { writeFile } from 'node:fs/promises';
import { type Command, help, parseCommandLine, UsageError } from './harness/command-line.js';
import type { Report } from './harness/report.js';
import { runScenario } from './harness/sampler.js';
import { toTables } from './harness/table.js';
import { scenarios } from './scenarios/index.js';

const USAGE = 2;

process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
process.exitCode = await main(process.argv.slice(2));

/** Tables go to the standard output, everything else to the standard error. Answers the exit code. */
async function main(args: readonly string[]): Promise<number> {
  try {
    const command = parseCommandLine(args, scenarios);
    if (command.kind === 'run') return await run(command);
    process.stdout.write(help(scenarios));
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return USAGE;
  }
}

async function run({ scenarios: chosen, settings, only, jsonFile }: Extract<Command, { kind: 'run' }>): Promise<number> {
  const reports: Report[] = [];
  for (const scenario of chosen) {
    const report = await runScenario(scenario, settings, { only, say: (line) => process.stderr.write(`${line}\n`) });
    process.stdout.write(`${toTables(report, scenario.about)}\n`);
    reports.push(report);
    // After each, so that a later one that breaks costs nothing that was measured.
    if (jsonFile !== null) await writeFile(jsonFile, `${JSON.stringify(chosen.length === 1 ? report : reports, null, 2)}\n`);
  }
  return reports.some(isWrong) ? 1 : 0;
}

function isWrong({ results }: Report): boolean {
  return results.some(({ status }) => status === 'wrong_result' || status === 'failed');
}
