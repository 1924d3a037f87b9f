/**
 * `npm test`: prepares the checkout, then proves it, cheapest first: format and lint, the domain tier with the
 * architecture test, integration, stories, crash stories. Arguments name the tiers to run; without any, all of them.
 * The last line counts what ran.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepare, run } from '../setup/prepare.mjs';

const TIERS = {
  domain: ['--maxWorkers=2'],
  integration: ['--maxWorkers=2'],
  story: ['--runInBand'],
  crash: ['--runInBand'],
};

const say = line => console.log(`\n▸ ${line}`);

const asked = process.argv.slice(2);
const unknown = asked.filter(name => !(name in TIERS));
if (unknown.length > 0) {
  console.error(`npm test knows the tiers ${Object.keys(TIERS).join(', ')}; not ${unknown.join(', ')}`);
  process.exit(2);
}
const tiers = asked.length > 0 ? asked : Object.keys(TIERS);

const reports = mkdtempSync(join(tmpdir(), 'postern-test-'));
const counts = { passed: 0, failed: 0 };
const failures = [];

/** What fails is told at the end, and keeps nothing else from being proved. */
const prove = async (what, check) => {
  say(what);
  try {
    await check();
  } catch (error) {
    failures.push(`${what}: ${error.message}`);
  }
};

const tests = async tier => {
  const report = join(reports, `${tier}.json`);
  try {
    await run('jest', ['--selectProjects', tier, '--json', `--outputFile=${report}`, ...TIERS[tier]], {
      inherit: true,
      env: { NODE_OPTIONS: '--experimental-vm-modules --disable-warning=ExperimentalWarning' },
    });
  } finally {
    const result = JSON.parse(readFileSync(report, 'utf8'));
    counts.passed += result.numPassedTests;
    counts.failed += result.numFailedTests + result.numRuntimeErrorTestSuites;
  }
};

try {
  await prepare(say);
  if (asked.length === 0) {
    await prove('format and lint', () =>
      run('biome', ['ci', '--diagnostic-level=warn', '--error-on-warnings', '.'], { inherit: true }),
    );
    await prove('schemas against their migrations', () =>
      run('npm', ['run', '--silent', 'migrations', '-w', '@postern/service-host', '--', 'check'], { inherit: true }),
    );
  }
  for (const tier of tiers) await prove(`${tier} tests`, () => tests(tier));
} catch (error) {
  failures.push(error.message);
} finally {
  rmSync(reports, { recursive: true, force: true });
}

for (const failure of failures) console.error(`\n${failure}`);
console.log(`\n${counts.passed} passed, ${counts.failed} failed`);
process.exit(failures.length > 0 || counts.failed > 0 ? 1 : 0);
