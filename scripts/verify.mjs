/** `npm run verify`: every check there is, each an npm script of its own. All run; the failed ones are named last. */
import { spawnSync } from 'node:child_process';

const STEPS = [
  ['format:check'],
  ['lint'],
  ['lint:lua'],
  ['boundaries'],
  ['types'],
  ['generate', '--', '--check'],
  ['unused'],
  ['compose:check'],
  ['test'],
];

const failed = STEPS.filter((step) => {
  console.log(`\n== npm run ${step.join(' ')}`);
  return spawnSync('npm', ['run', '--silent', ...step], { stdio: ['ignore', 'inherit', 'inherit'] }).status !== 0;
});
console.log(failed.length === 0 ? '\nverify: all good' : `\nverify: failed: ${failed.map(([name]) => name).join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
