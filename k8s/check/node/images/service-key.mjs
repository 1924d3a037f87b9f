/** Cache key of the inputs of a service image. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../tools.mjs';

const git = (...args) => execFileSync('git', args, { cwd: ROOT, maxBuffer: 2 ** 30 });

const SHARED = [
  ...['libs', 'tools/command', 'tools/images', 'tools/setup', 'docker/Dockerfile', 'docker/trim', '.dockerignore'],
  ...['package.json', 'package-lock.json', ':!*.spec.ts', ':!libs/testing'],
];
const BESIDE = { 'api-gateway': ['apps/dashboard', 'apps/documentation', 'docs'] };

/** Changes with every change of what the image of a service contains, staged or not. */
export const keyOf = app => {
  const paths = [`apps/${app}`, `prisma/${app}`, ...(BESIDE[app] ?? []), ...SHARED];
  const hash = createHash('sha256').update(git('ls-files', '--stage', '--', ...paths));
  hash.update(git('diff', '--', ...paths));
  const untracked = git('ls-files', '--others', '--exclude-standard', '--', ...paths);
  for (const file of untracked.toString().split('\n').filter(Boolean))
    hash.update(file).update(readFileSync(join(ROOT, file)));
  return hash.digest('hex').slice(0, 16);
};
