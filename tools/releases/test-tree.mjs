import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { foldersOf } from './sources-digest.mjs';
import { ROOT, run } from './worktree.mjs';

/** The quick tests come first, so that a mistake is reported soon. */
const STEPS = [
  ['testing: lint and unit tests', 'lint', 'test'],
  ['testing: integration tests', 'test:integration'],
];

/** The Nx projects of a service and of all libraries that it is built with. */
const projectsOf = (folder, service) =>
  foldersOf(folder, service, []).map(path => {
    const read = file => JSON.parse(readFileSync(join(folder, path, file), 'utf8'));
    return existsSync(join(folder, path, 'project.json')) ? read('project.json').name : read('package.json').nx.name;
  });

/**
 * Tests the release of a service in its tree. Results of the same sources come from the Nx cache of the checkout.
 * @throws if a test fails.
 */
export const testTree = async (folder, service, progress) => {
  const bin = join(folder, 'node_modules/.bin');
  const env = {
    ...process.env,
    PATH: `${bin}${delimiter}${process.env.PATH ?? ''}`,
    NX_DAEMON: 'false',
    NX_CACHE_DIRECTORY: process.env.NX_CACHE_DIRECTORY ?? join(ROOT, '.nx/cache'),
    CHECKPOINT_DISABLE: '1',
  };
  const projects = projectsOf(folder, service).join(',');
  for (const [step, ...targets] of STEPS) {
    progress(step);
    const args = ['run-many', '--target', ...targets, '--projects', projects, '--output-style', 'static'];
    await run(join(bin, 'nx'), [...args, '--parallel', '2'], { cwd: folder, env });
  }
};
