#!/usr/bin/env node
/**
 * `node tools/releases/previous-release.mjs <service> [--of <commit>] [part of a path …]`: runs the integration specs of the newest
 * release of a service on the schema of this checkout. During an upgrade, that release runs on the new schema, and again after a
 * rollback (docs/releases.md).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { testPreviousRelease } from './previous-tree.mjs';
import { fail, ROOT } from './worktree.mjs';

const { release } = JSON.parse(readFileSync(join(ROOT, 'nx.json'), 'utf8'));
const { values, positionals } = parseArgs({ allowPositionals: true, options: { of: { type: 'string' } } });
const [service, ...patterns] = positionals;
if (!service || !release.projects.includes(service))
  fail(
    `usage: previous-release.mjs <service> [--of <commit>] [part of a path …], one of ${release.projects.join(', ')}`,
    2,
  );

try {
  await testPreviousRelease(ROOT, service, { of: values.of, patterns, progress: line => console.log(`▸ ${line}`) });
} catch (error) {
  fail(error.message);
}
