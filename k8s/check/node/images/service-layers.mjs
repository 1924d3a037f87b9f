/** The files of a service, as tools/images/pack.mjs selects them for its image. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../tools.mjs';
import { layer } from './layers.mjs';

const git = (...args) => execFileSync('git', args, { cwd: ROOT, maxBuffer: 2 ** 30 });

const SHARED = ['libs', 'tools/postern-cli', 'tools/images', 'package-lock.json', ':!*.spec.ts', ':!libs/testing'];
const BESIDE = { 'api-gateway': ['apps/dashboard', 'apps/documentation', 'docs'] };

/** Changes with every change of what the image of a service contains, staged or not. */
const keyOf = app => {
  const paths = [`apps/${app}`, `prisma/${app}`, ...(BESIDE[app] ?? []), ...SHARED];
  const hash = createHash('sha256').update(git('ls-files', '--stage', '--', ...paths));
  hash.update(git('diff', '--', ...paths));
  const untracked = git('ls-files', '--others', '--exclude-standard', '--', ...paths);
  for (const file of untracked.toString().split('\n').filter(Boolean))
    hash.update(file).update(readFileSync(join(ROOT, file)));
  return hash.digest('hex').slice(0, 16);
};

const packed = (app, folder) => {
  execFileSync(process.execPath, ['tools/images/pack.mjs', app, folder], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  symlinkSync(`apps/${app}/dist/main.js`, join(folder, 'main.js'));
  symlinkSync('tools/postern-cli/dist/main.js', join(folder, 'postern.js'));
};

/** The same place in the image as in docker/Dockerfile. */
export const serviceLayer = app => layer(app, keyOf(app), content => packed(app, join(content, 'postern')));

const entryPoint = { WorkingDir: '/postern', Entrypoint: ['node', '--max-semi-space-size=16'], Cmd: ['main.js'] };

/** The settings of an image that docker/Dockerfile ends with. */
export const serviceConfig = () => ({
  ...entryPoint,
  User: '10001:10001',
  StopSignal: 'SIGTERM',
  Env: [
    'PATH=/usr/local/bin:/usr/bin:/bin',
    'NODE_ENV=production',
    'POSTERN_HTTP_HOST=0.0.0.0',
    'POSTERN_HTTP_PORT=9090',
    'MALLOC_ARENA_MAX=2',
  ],
});
