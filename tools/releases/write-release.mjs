/**
 * `node tools/releases/write-release.mjs <service>`: raises the version, checks and stores the contract, and commits.
 * release.mjs calls it in its clean worktree.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ReleaseClient } from 'nx/release/index.js';
import { plansOf } from './version-plans.mjs';
import { fail, git, ROOT, run } from './worktree.mjs';

const [service] = process.argv.slice(2);

const projectRoot = name =>
  join(
    ROOT,
    ['apps', 'tools', 'libs'].find(place => existsSync(join(ROOT, place, name))),
    name,
  );

/** Tells administrators what the release needs from newer releases of other services. */
const addConditions = (changelog, version) => {
  const stored = join(ROOT, 'libs/contracts/released', `${service}@${version}.json`);
  const { conditions = [] } = JSON.parse(readFileSync(stored, 'utf8'));
  if (conditions.length === 0) return;
  const [title, ...rest] = readFileSync(changelog, 'utf8').split('\n');
  const lines = ['', '### Before the upgrade', '', ...conditions.map(text => `- ${text}`)];
  writeFileSync(changelog, [title, ...lines, ...rest].join('\n'));
};

try {
  const plans = plansOf(ROOT, service);
  const client = new ReleaseClient({});
  const options = { projects: [service], verbose: false, gitCommit: false, gitTag: false, stageChanges: false };
  const { projectsVersionData, releaseGraph } = await client.releaseVersion(options);
  await run(process.execPath, ['tools/releases/contracts.mjs', 'release', service], { cwd: ROOT });
  const changelog = { releaseGraph, versionData: projectsVersionData, deleteVersionPlans: false };
  await client.releaseChangelog({ ...options, ...changelog });
  addConditions(join(projectRoot(service), 'CHANGELOG.md'), projectsVersionData[service].newVersion);
  for (const plan of plans) rmSync(plan);
  git(ROOT, 'add', '--all');
  const message = `Release ${service} ${projectsVersionData[service].newVersion}`;
  git(ROOT, 'commit', '--quiet', '--message', message);
} catch (error) {
  fail(error.message);
}
