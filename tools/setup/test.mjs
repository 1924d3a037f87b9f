/**
 * `npm test`: lint, types, unit tests, the integration tests of affected projects, and the stories that a reader would name
 * first. `npm test all` runs everything, `npm test <tier …>` some tiers, each after an installation of the locked dependencies.
 * The last line has the number of tests, including results from the Nx cache.
 */
import { affectedProjects } from './affected-projects.mjs';
import { bootstrap, run } from './prepare.mjs';
import { deleteResults, readResults, repeatFailed } from './test-results.mjs';

const TIERS = {
  unit: ['lint', 'build', 'test', 'check-migrations'],
  integration: ['test:integration'],
  stories: ['stories'],
  e2e: ['e2e'],
  crash: ['e2e:crash'],
};
/** `stories` are a part of `e2e` and `crash`. */
const ALL = ['unit', 'integration', 'e2e', 'crash'];
const SHORT = ['unit', 'integration', 'stories'];
/** Every service depends on the event log and on requests, so their tests run with any change. */
const ALWAYS = ['event-sourcing', 'messaging'];

const named = process.argv.slice(2);
const unknown = named.filter(name => !(name in TIERS) && name !== 'all');
if (unknown.length > 0) {
  console.error(`There is no tier ${unknown.join(', ')}. Run: npm test ${Object.keys(TIERS).join('|')}|all`);
  process.exit(2);
}
const isShort = named.length === 0;
const wanted = named.includes('all') ? ALL : isShort ? SHORT : named;

/** Whether all tasks of these targets succeeded. */
const runMany = async (targets, projects) => {
  if (targets.length === 0) return true;
  const only = projects ? ['--projects', projects.join(',')] : [];
  const args = ['run-many', '--target', ...targets, ...only, '--output-style', 'stream', '--parallel', '2'];
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
const passedUnit = await runMany(unit);
const integration = isShort ? [...new Set([...ALWAYS, ...(await affectedProjects())])] : [];
const projects = isShort ? [...integration, 'e2e'] : undefined;
if (isShort) console.log(`▸ integration tests of ${integration.join(', ')}, and the stories`);
let passedSlow = await runMany(slowTargets, projects);
const { passed, failed } = readResults();
const print = ({ file, name, reason }) => console.error(`✕ ${file}: ${name}\n${reason.replace(/^/gm, '    ')}`);

let unstable = [];
if (passedUnit && !passedSlow) {
  const failedAgain = await repeatFailed(slowTargets, projects);
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
