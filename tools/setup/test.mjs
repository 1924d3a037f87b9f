/**
 * `npm test [unit|integration|e2e|crash …]`: installs the locked dependencies, then runs the Nx targets with the tests.
 * Arguments select the tiers. The last line has the number of tests, including results from the Nx cache.
 */
import { bootstrap, run } from './prepare.mjs';
import { deleteResults, readResults, repeatFailed } from './test-results.mjs';

const TIERS = {
  unit: ['lint', 'test', 'check-migrations'],
  integration: ['test:integration'],
  e2e: ['e2e'],
  crash: ['e2e:crash'],
};

const named = process.argv.slice(2);
const unknown = named.filter(name => !(name in TIERS));
if (unknown.length > 0) {
  console.error(`There is no tier ${unknown.join(', ')}. Run: npm test ${Object.keys(TIERS).join('|')}`);
  process.exit(2);
}
const wanted = named.length > 0 ? named : Object.keys(TIERS);

/** Whether all tasks of these targets succeeded. */
const runMany = async (...targets) => {
  if (targets.length === 0) return true;
  const args = ['run-many', '--target', ...targets, '--output-style', 'stream', '--parallel', '2'];
  return run('nx', args, { inherit: true }).then(
    () => true,
    () => false,
  );
};

try {
  await bootstrap(line => console.log(`▸ ${line}`));
} catch (error) {
  console.error(
    `\n${error.message}\n\nThe dependencies could not be installed. Fix the cause and run \`npm test\` again.`,
  );
  process.exit(1);
}
deleteResults();
const { unit = [], ...slow } = Object.fromEntries(wanted.map(tier => [tier, TIERS[tier]]));
const slowTargets = Object.values(slow).flat();
const passedUnit = await runMany(...unit);
let passedSlow = await runMany(...slowTargets);
const { passed, failed } = readResults();
const print = ({ file, name, reason }) => console.error(`✕ ${file}: ${name}\n${reason.replace(/^/gm, '    ')}`);

let unstable = [];
if (passedUnit && !passedSlow) {
  const failedAgain = await repeatFailed(slowTargets);
  if (failedAgain?.length === 0) {
    passedSlow = true;
    unstable = failed;
  } else for (const test of failedAgain ?? []) print({ ...test, name: `${test.name} (alone)` });
}
if (!passedUnit || !passedSlow) {
  console.error(
    '\nThe tasks that failed are listed above as <project>:<target>. Run one of them again with `npx nx run <project>:<target>`,',
  );
  console.error(
    'one spec file with `npx nx run <project>:<target> <part of its path>`; `npm run format` repairs formatting.',
  );
}
if (unstable.length > 0) console.error('\nThese tests are unstable: they failed beside others and passed alone.');
for (const test of failed) print(test);
console.log(
  unstable.length > 0
    ? `\n${passed + unstable.length} tests passed, ${unstable.length} of them when they ran again; 0 failed`
    : `\n${passed} tests passed, ${failed.length} failed`,
);
process.exit(passedUnit && passedSlow ? 0 : 1);
