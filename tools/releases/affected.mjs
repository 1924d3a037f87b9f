#!/usr/bin/env node
import { execFileSync } from 'node:child_process';
/**
 * `node tools/releases/affected.mjs [--base main] [--head HEAD] [--json]`: prints the services whose images are affected
 * by the changes between two commits. --json adds all affected projects and the `jest --testPathPatterns` for their tests.
 */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
const NX = join(ROOT, 'node_modules/.bin/nx');
/** Files that affect all tests. */
const ALL_TESTS = /^(package\.json|jest\.config\.mjs|\.ci\/.*|tools\/checks\/run\.mjs)$/;

const { values } = parseArgs({
  options: {
    base: { type: 'string', default: 'main' },
    head: { type: 'string', default: 'HEAD' },
    json: { type: 'boolean', default: false },
  },
});
const range = [`--base=${values.base}`, `--head=${values.head}`];

const run = (command, args) =>
  execFileSync(command, args, { cwd: ROOT, encoding: 'utf8', env: { ...process.env, NX_DAEMON: 'false' } });
const projects = (...args) => JSON.parse(run(NX, ['show', 'projects', '--json', ...args])).sort();

const images = projects('--affected', '--with-target', 'image', ...range);
if (!values.json) {
  for (const service of images) console.log(service);
} else {
  const changed = run('git', ['diff', '--name-only', values.base, values.head]).split('\n');
  const affected = changed.some(path => ALL_TESTS.test(path)) ? projects() : projects('--affected', ...range);
  const { nodes } = JSON.parse(run(NX, ['graph', '--file=stdout'])).graph;
  const folders = affected.map(name => nodes[name].data.root);
  // The checks of the whole repository belong to no project.
  const tests = affected.length > 0 ? `/(${[...folders, 'tools/checks'].join('|')})/` : '';
  console.log(JSON.stringify({ images, projects: affected, tests }, null, 2));
}
