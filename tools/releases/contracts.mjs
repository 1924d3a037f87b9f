#!/usr/bin/env node
/**
 * Checks the compatibility of releases; `node tools/releases/contracts.mjs` prints its usage. It rebuilds the contracts
 * first, because existing build output can come from other sources.
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
  console.error('The contracts do not compile.');
  process.exit(1);
}
const { contracts } = await import('./dist/contracts.js');
process.exitCode = contracts(process.argv.slice(2), service => sourcesDigest(ROOT, service));
