/**
 * `node tools/releases/write-release.mjs <service>`: the part of a release that happens in the clean worktree that
 * release.mjs made; called in its root. Raises the version, checks and keeps the contract, and commits.
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
  const message = `${service} ${projectsVersionData[service].newVersion} is released`;
  git(ROOT, 'commit', '--quiet', '--message', message);
} catch (error) {
  fail(error.message);
}
