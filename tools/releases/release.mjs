#!/usr/bin/env node
/**
 * `node tools/releases/release.mjs <service> [--image <repository>] [--tested] [--push] [--dry-run]`: releases one service from its
 * version plans in a clean worktree, after the tests of the service and its libraries. The checkout gets the commit and its tag
 * only if every step succeeds (docs/releases.md).
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { baseImagesOf, buildImage, imageNameOf } from './build-image.mjs';
import { buildTree } from './build-tree.mjs';
import { linkDependencies } from './link-dependencies.mjs';
import { testPreviousRelease } from './previous-tree.mjs';
import { testTree } from './test-tree.mjs';
import { plansOf, unreleasedDependencies } from './version-plans.mjs';
import { fail, git, inWorktreeOf, ROOT, run } from './worktree.mjs';

const { release } = JSON.parse(readFileSync(join(ROOT, 'nx.json'), 'utf8'));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'dry-run': { type: 'boolean', default: false },
    push: { type: 'boolean', default: false },
    image: { type: 'string' },
    tested: { type: 'boolean', default: false },
  },
});
const [service, ...more] = positionals;
if (!service || more.length > 0 || !release.projects.includes(service))
  fail(`usage: release.mjs <service>, one of ${release.projects.join(', ')}`, 2);

const place = `${['apps', 'tools', 'libs'].find(one => existsSync(join(ROOT, one, service)))}/${service}`;
const versionOf = folder => JSON.parse(readFileSync(join(folder, place, 'package.json'), 'utf8')).version;
const logStep = line => console.log(`▸ ${line}`);

try {
  if (values.image !== undefined) {
    imageNameOf(service, '0.0.0', values.image);
    baseImagesOf(process.env);
  }
  if (git(ROOT, 'status', '--porcelain') !== '') throw new Error('Commit or stash your changes first.');
  if (plansOf(ROOT, service).length === 0)
    throw new Error(`There is no version plan for ${service}. Create one: npx nx release plan --projects ${service}`);
  const [first] = unreleasedDependencies(ROOT, place, release.projects);
  if (first) throw new Error(`${service} depends on ${first}, which has a version plan. Release ${first} first.`);
  const commit = git(ROOT, 'rev-parse', 'HEAD');

  await inWorktreeOf(commit, async folder => {
    logStep('linking the locked dependencies');
    linkDependencies(ROOT, folder);
    logStep('checking the contract, raising the version, writing the changelog');
    await run(process.execPath, ['tools/releases/write-release.mjs', service], {
      cwd: folder,
      env: { ...process.env, NX_DAEMON: 'false' },
    });
    await buildTree(folder, service, logStep);
    if (values.tested) logStep('not testing: --tested says that the tests of this commit have passed');
    else {
      await testTree(folder, service, logStep);
      await testPreviousRelease(folder, service, { progress: logStep });
    }
    const released = git(folder, 'rev-parse', 'HEAD');
    const tag = `${service}@${versionOf(folder)}`;
    if (values.image !== undefined) {
      logStep('building the image');
      await buildImage(folder, tag, values.image);
    }
    if (values['dry-run']) {
      console.log(git(folder, 'show', '--stat', released));
      return;
    }
    git(ROOT, 'tag', '--annotate', tag, released, '--message', tag);
    try {
      git(ROOT, 'merge', '--quiet', '--ff-only', released);
    } catch (error) {
      git(ROOT, 'tag', '--delete', tag);
      throw error;
    }
    if (values.push) {
      // Together, so that a tag never names a commit that is not on the branch.
      try {
        git(
          ROOT,
          'push',
          '--atomic',
          'origin',
          `HEAD:refs/heads/${git(ROOT, 'branch', '--show-current')}`,
          `refs/tags/${tag}`,
        );
      } catch (error) {
        git(ROOT, 'tag', '--delete', tag);
        git(ROOT, 'reset', '--quiet', '--hard', commit);
        throw new Error(
          `${tag} was not pushed, and is undone: pull, and release again. ${error.stderr ?? error.message}`,
        );
      }
      console.log(`released and pushed ${tag}`);
      return;
    }
    console.log(`released ${tag}. Push the commit with its tag, then deploy the service.`);
  });
} catch (error) {
  fail(error.message);
}
