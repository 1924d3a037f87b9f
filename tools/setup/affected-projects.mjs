/** Which projects a change affects: commits since the main branch, and everything that is not committed. */
import { run } from './prepare.mjs';

const INTEGRATION = 'test:integration';

const git = async (...args) => (await run('git', args)).trim();

/** The commit at which this branch left the main branch; on the main branch itself, its remote one. */
const baseCommit = async () => {
  for (const branch of ['origin/main', 'main']) {
    const base = await git('merge-base', 'HEAD', branch).catch(() => undefined);
    if (base) return base;
  }
  return undefined;
};

/** The names of the affected projects with integration tests; all of them if no main branch is known. */
export const affectedProjects = async () => {
  const base = await baseCommit();
  const of = base ? ['--affected', '--base', base] : [];
  return JSON.parse(await run('nx', ['show', 'projects', ...of, '--withTarget', INTEGRATION, '--json']));
};
