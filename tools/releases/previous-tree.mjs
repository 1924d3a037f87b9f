import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { buildTree } from './build-tree.mjs';
import { linkDependencies } from './link-dependencies.mjs';
import { git, inWorktreeOf, ROOT, run } from './worktree.mjs';

/** The tag of the newest release of a service; undefined before the first. */
export const newestReleaseOf = (root, service) =>
  git(root, 'tag', '--list', `${service}@*`, '--sort=-version:refname').split('\n').filter(Boolean)[0];

const migrationsIn = root => {
  if (!existsSync(root)) return [];
  const names = readdirSync(root).filter(name => existsSync(join(root, name, 'migration.sql')));
  return names.sort().map(name => `${name} ${readFileSync(join(root, name, 'migration.sql'), 'utf8')}`);
};

/** The names of the migrations of `next` that `previous` does not have, or has with another content. */
const newMigrations = (previous, next) => {
  const known = new Set(migrationsIn(previous));
  return migrationsIn(next)
    .filter(each => !known.has(each))
    .map(each => each.split(' ', 1)[0]);
};

/**
 * Runs the integration specs of the newest release of a service, or of the commit `of`, on the migrations in `root`.
 * @returns what was tested, or why nothing was.
 * @throws if a spec fails, with the migrations that the release does not have.
 */
export const testPreviousRelease = async (root, service, { of, patterns = [], progress }) => {
  const previous = of ?? newestReleaseOf(root, service);
  if (!previous) return progress(`${service} has no earlier release, which a migration could break`);
  const migrations = `prisma/${service}/migrations`;
  await inWorktreeOf(git(ROOT, 'rev-parse', '--verify', `${previous}^{commit}`), async folder => {
    const added = newMigrations(join(folder, migrations), join(root, migrations));
    if (added.length === 0) return progress(`${previous} has every migration of ${service} already`);
    progress(`testing ${previous} on the schema with ${added.join(', ')}`);
    rmSync(join(folder, migrations), { recursive: true });
    cpSync(join(root, migrations), join(folder, migrations), { recursive: true });
    linkDependencies(ROOT, folder);
    await buildTree(folder, service, progress);
    const bin = join(folder, 'node_modules/.bin');
    const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ''}`, CHECKPOINT_DISABLE: '1' };
    const chosen = patterns.length > 0 ? ['--testPathPatterns', patterns.join('|')] : [];
    const jest = ['jest', '--selectProjects', 'integration', '--roots', `apps/${service}`, '--ci', ...chosen];
    try {
      await run(process.execPath, ['tools/setup/in-test-environment.mjs', ...jest], { cwd: folder, env });
    } catch (error) {
      throw new Error(
        `${previous} does not work on the schema with ${added.join(', ')}: the specs above fail. It runs while the migration is ` +
          'carried out, and again after a rollback. Only add to the schema (docs/releases.md#migrations).',
        { cause: error },
      );
    }
    progress(`${previous} works on the schema with ${added.join(', ')}`);
  });
};
