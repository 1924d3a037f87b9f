/**
 * `npm test [unit|integration|e2e|crash …]`: installs what is locked, then runs the Nx targets that prove the codebase.
 * Arguments name the tiers to run. The last line counts the tests; results that Nx has cached count as well.
 */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrap, ROOT, run } from './prepare.mjs';

const TIERS = {
  unit: ['lint', 'test', 'check-migrations'],
  integration: ['test:integration'],
  e2e: ['e2e'],
  crash: ['e2e:crash'],
};
const RESULTS = join(ROOT, 'test-results');

const named = process.argv.slice(2);
const unknown = named.filter(name => !(name in TIERS));
if (unknown.length > 0) {
  console.error(`There is no tier ${unknown.join(', ')}. Run: npm test ${Object.keys(TIERS).join('|')}`);
  process.exit(2);
}
const wanted = named.length > 0 ? named : Object.keys(TIERS);

/** Whether all tasks of these targets passed. */
const runMany = async (...targets) => {
  if (targets.length === 0) return true;
  const args = ['run-many', '--target', ...targets, '--output-style', 'stream', '--parallel', '2'];
  return run('nx', args, { inherit: true }).then(
    () => true,
    () => false,
  );
};

const results = () => {
  const files = existsSync(RESULTS) ? readdirSync(RESULTS, { recursive: true }) : [];
  const each = files
    .filter(file => file.endsWith('.json'))
    .map(file => JSON.parse(readFileSync(join(RESULTS, file), 'utf8')));
  return {
    passed: each.reduce((total, { passed }) => total + passed, 0),
    failed: each.flatMap(({ failed }) => failed),
  };
};

try {
  await bootstrap(line => console.log(`▸ ${line}`));
} catch (error) {
  console.error(
    `\n${error.message}\n\nThe dependencies could not be installed. Fix the cause and run \`npm test\` again.`,
  );
  process.exit(1);
}
rmSync(RESULTS, { recursive: true, force: true });
const { unit = [], ...slow } = Object.fromEntries(wanted.map(tier => [tier, TIERS[tier]]));
const passed = [await runMany(...unit), await runMany(...Object.values(slow).flat())].every(Boolean);
if (!passed) {
  console.error(
    '\nThe tasks that failed are listed above as <project>:<target>. Run one of them again with `npx nx run <project>:<target>`,',
  );
  console.error(
    'one spec file with `npx nx run <project>:<target> <part of its path>`; `npm run format` repairs formatting.',
  );
}
const { passed: passedTests, failed: failedTests } = results();
for (const name of failedTests) console.error(`✕ ${name}`);
console.log(`\n${passedTests} tests passed, ${failedTests.length} failed`);
process.exit(passed ? 0 : 1);
