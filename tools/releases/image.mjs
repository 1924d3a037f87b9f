#!/usr/bin/env node
/**
 * `node tools/releases/image.mjs <service>@<version> <repository> [--layout <folder>]`: builds the image of a release from a clean
 * worktree of its tag, as <repository>:<version>, or into an OCI layout for publish.mjs.
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildImage } from './build-image.mjs';
import { fail, git, inWorktreeOf, ROOT } from './worktree.mjs';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { layout: { type: 'string' } } });
const [tag, repository, ...more] = positionals;
if (!/^[a-z-]+@\d+\.\d+\.\d+/.test(tag ?? '') || !repository || more.length > 0)
  fail(
    'usage: image.mjs <service>@<version> <repository>, such as email-send@0.2.0 registry.example.com/postern/email-send',
    2,
  );

try {
  const commit = git(ROOT, 'rev-parse', '--verify', '--quiet', `refs/tags/${tag}^{commit}`);
  const name = await inWorktreeOf(commit, folder =>
    buildImage(folder, tag, repository, values.layout && resolve(values.layout)),
  );
  console.log(`built ${name}`);
} catch (error) {
  fail(error.message);
}
