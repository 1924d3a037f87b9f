#!/usr/bin/env node
/**
 * What releases promise each other; `node tools/releases/contracts.mjs` says how to ask. What it looks at is built anew
 * first: an older build would speak for sources that are not there any more.
 */
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sourcesDigest } from './sources-digest.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');

try {
  const build = ['-b', '--force', 'tools/releases'];
  execFileSync(join(ROOT, 'node_modules/.bin/tsc'), build, { cwd: ROOT, stdio: ['ignore', 2, 2] });
} catch {
  console.error('the contracts do not compile');
  process.exit(1);
}
const { contracts } = await import('./dist/contracts.js');
process.exitCode = contracts(process.argv.slice(2), service => sourcesDigest(ROOT, service));
