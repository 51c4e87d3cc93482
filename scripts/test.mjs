/**
 * `npm test`: builds, runs every jest project and ends with the line "N passed, N failed". Arguments go to jest.
 * The exit code is 0 only if jest's was 0, nothing failed and something passed.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const JEST = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];
const RUN_LIMIT_MS = 45 * 60_000;
/** After its results are written jest has nothing left to do; what keeps it alive is a connection somebody left open. */
const EXIT_LIMIT_MS = 60_000;
const LEAST_REDIS = 7;

process.exitCode = await main(process.argv.slice(2));

async function main(jestArguments) {
  const problem = build() ?? (await redisProblem());
  if (problem !== undefined) {
    console.error(problem);
    return report({ passed: 0, failed: 1 }, 1);
  }
  const folder = mkdtempSync(join(tmpdir(), 'millrace-jest-'));
  try {
    const outputFile = join(folder, 'results.json');
    const code = await runJest(jestArguments, outputFile);
    return report(count(outputFile, code), code);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function build() {
  for (const script of ['generate', 'build']) {
    const { status } = spawnSync('npm', ['run', '--silent', script], { stdio: ['ignore', 'inherit', 'inherit'] });
    if (status !== 0) {
      return `"npm run ${script}" failed, no test was run`;
    }
  }
  return undefined;
}

async function redisProblem() {
  const { findRedisServer } = await import('../dist/libs/storage/src/testing/redis-executable.js');
  try {
    const server = findRedisServer();
    const version = /v=(\d+)\./.exec(spawnSync(server, ['--version'], { encoding: 'utf8' }).stdout)?.[1];
    return Number(version) >= LEAST_REDIS
      ? undefined
      : `${server} is version ${version ?? 'unknown'}: install redis-server ≥ ${LEAST_REDIS}`;
  } catch (error) {
    return `${error.message} (on Debian: apt-get install redis-server; .ci/run does it)`;
  }
}

function runJest(jestArguments, outputFile) {
  const jest = spawn(process.execPath, [...JEST, '--json', `--outputFile=${outputFile}`, ...jestArguments], {
    stdio: ['ignore', 'ignore', 'inherit'],
    // A process group of its own, so that servers which specs started end with it.
    detached: true,
  });
  const endGroup = (signal) => process.kill(-Number(jest.pid), signal);
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, endGroup);
  }
  return new Promise((resolve) => {
    const giveUp = (reason) => {
      console.error(reason);
      endGroup('SIGKILL');
    };
    const runLimit = setTimeout(() => giveUp(`jest was ended: it ran for more than ${RUN_LIMIT_MS / 60_000} minutes`), RUN_LIMIT_MS);
    let exitLimit;
    const watch = setInterval(() => {
      if (exitLimit === undefined && existsSync(outputFile)) {
        exitLimit = setTimeout(() => giveUp('jest was ended: its tests are done, but a connection left open kept it alive'), EXIT_LIMIT_MS);
      }
    }, 1_000);
    jest.once('exit', (code) => {
      clearTimeout(runLimit);
      clearTimeout(exitLimit);
      clearInterval(watch);
      resolve(code ?? 1);
    });
  });
}

/** A suite that could not run counts as one failed test, and so does any other reason for which jest failed. */
function count(outputFile, code) {
  if (!existsSync(outputFile)) {
    return { passed: 0, failed: 1 };
  }
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(outputFile, 'utf8'));
  const brokenSuites = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
  ).length;
  const failed = numFailedTests + brokenSuites;
  return { passed: numPassedTests, failed: failed === 0 && code !== 0 ? 1 : failed };
}

function report({ passed, failed }, code) {
  console.log(`${passed} passed, ${failed} failed`);
  return code === 0 && failed === 0 && passed > 0 ? 0 : 1;
}
