import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run } from './worktree.mjs';

const DASHBOARD = 'apps/dashboard';

/** Builds a release of the service in `folder`, whose dependencies are installed. Reports each step to `progress`. */
export const buildTree = async (folder, service, progress) => {
  const bin = join(folder, 'node_modules/.bin');
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ''}`, CHECKPOINT_DISABLE: '1' };
  const schema = `prisma/${service}/schema.prisma`;
  if (existsSync(join(folder, schema))) {
    progress('generating the database client');
    // Postern does not use Prisma's own engines, so none is downloaded.
    const noEngine = { ...env, PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true' };
    await run(join(bin, 'prisma'), ['generate', '--schema', schema], { cwd: folder, env: noEngine });
  }
  progress('building');
  const built = ['apps', 'libs', 'tools']
    .map(place => `${place}/${service}`)
    .filter(path => existsSync(join(folder, path)));
  const projects = new Set([...built, 'tools/command']);
  await run(join(bin, 'tsc'), ['-b', '--singleThreaded', ...projects], { cwd: folder, env });
  if (service === 'api-gateway') await run(join(bin, 'vite'), ['build'], { cwd: join(folder, DASHBOARD), env });
};
