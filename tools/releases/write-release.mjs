/**
 * `node tools/releases/write-release.mjs <service>`: raises the version, checks and stores the contract, and commits.
 * release.mjs calls it in its clean worktree.
 */
import { rmSync } from 'node:fs';
import { ReleaseClient } from 'nx/release/index.js';
import { plansOf } from './version-plans.mjs';
import { fail, git, ROOT, run } from './worktree.mjs';

const [service] = process.argv.slice(2);
try {
  const plans = plansOf(ROOT, service);
  const client = new ReleaseClient({});
  const options = { projects: [service], verbose: false, gitCommit: false, gitTag: false, stageChanges: false };
  const { projectsVersionData, releaseGraph } = await client.releaseVersion(options);
  await run(process.execPath, ['tools/releases/contracts.mjs', 'release', service], { cwd: ROOT });
  const changelog = { releaseGraph, versionData: projectsVersionData, deleteVersionPlans: false };
  await client.releaseChangelog({ ...options, ...changelog });
  for (const plan of plans) rmSync(plan);
  git(ROOT, 'add', '--all');
  const message = `Release ${service} ${projectsVersionData[service].newVersion}`;
  git(ROOT, 'commit', '--quiet', '--message', message);
} catch (error) {
  fail(error.message);
}
