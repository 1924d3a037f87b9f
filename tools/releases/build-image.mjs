import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sourcesDigest } from './sources-digest.mjs';
import { git, ROOT, run } from './worktree.mjs';

/** `<repository>:<version>`. @throws if the service has no image. */
export const imageNameOf = (service, version, repository) => {
  if (!existsSync(join(ROOT, 'apps', service))) throw new Error(`${service} has no image: it is part of every image`);
  if (!/^[a-z0-9][a-z0-9._:/-]*$/.test(repository)) throw new Error(`${repository} is not a valid image name`);
  return `${repository}:${version}`;
};

/**
 * Builds the image of a release from the tree of its commit. @returns its name.
 * @throws if the sources differ from those that the release was checked with.
 */
export const buildImage = async (folder, tag, repository) => {
  const [service, version] = tag.split('@');
  const name = imageNameOf(service, version, repository);
  const { sources } = JSON.parse(readFileSync(join(folder, `libs/contracts/released/${tag}.json`), 'utf8'));
  const found = sourcesDigest(folder, service);
  if (sources !== found) throw new Error(`${tag} was checked from the sources ${sources}, but these are ${found}`);
  const labels = {
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.revision': git(folder, 'rev-parse', 'HEAD'),
    'postern.sources': sources,
  };
  const labelArgs = Object.entries(labels).flatMap(([label, value]) => ['--label', `${label}=${value}`]);
  const build = ['build', '-f', 'docker/Dockerfile', '--build-arg', `APP=${service}`, '-t', name, ...labelArgs, '.'];
  await run('docker', build, { cwd: folder });
  return name;
};
