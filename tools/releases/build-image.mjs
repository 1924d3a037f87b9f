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

const BASES = { NODE_IMAGE: 'POSTERN_NODE_IMAGE', BASE_IMAGE: 'POSTERN_BASE_IMAGE' };

/**
 * The base images of a release by build argument, from the environment.
 * @throws unless each has a digest: a tag can refer to another image later.
 */
export const baseImagesOf = environment =>
  Object.fromEntries(
    Object.entries(BASES).map(([argument, variable]) => {
      const image = environment[variable] ?? '';
      if (/^\S+@sha256:[0-9a-f]{64}$/.test(image)) return [argument, image];
      throw new Error(`Set ${variable} to an image with its digest, name@sha256:…; it is "${image}".`);
    }),
  );

/**
 * Builds the image of a release from the tree of its commit, and writes the list of its packages to the directory `sbom`.
 * @returns its name. @throws if the sources differ from those that the release was checked with, or a base image is
 * not named by digest.
 */
export const buildImage = async (folder, tag, repository, layout) => {
  const [service, version] = tag.split('@');
  const name = imageNameOf(service, version, repository);
  const bases = baseImagesOf(process.env);
  const { sources } = JSON.parse(readFileSync(join(folder, `libs/contracts/released/${tag}.json`), 'utf8'));
  const found = sourcesDigest(folder, service);
  if (sources !== found) throw new Error(`${tag} was checked from the sources ${sources}, but these are ${found}`);
  const labels = {
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.revision': git(folder, 'rev-parse', 'HEAD'),
    'org.opencontainers.image.base.name': bases.BASE_IMAGE,
    'postern.sources': sources,
  };
  const labelArgs = Object.entries(labels).flatMap(([label, value]) => ['--label', `${label}=${value}`]);
  const args = Object.entries({ APP: service, ...bases }).flatMap(([key, value]) => ['--build-arg', `${key}=${value}`]);
  const build = ['build', '-f', 'docker/Dockerfile', ...args];
  // A layout has the image of one architecture, which publish.mjs joins with those of other machines.
  const output = layout ? ['--output', `type=oci,tar=false,dest=${layout}`, '--provenance=false'] : ['-t', name];
  await run('docker', [...(layout ? ['buildx'] : []), ...build, ...output, ...labelArgs, '.'], { cwd: folder });
  await run('docker', [...build, '--target', 'sbom', '--output', join(ROOT, 'sbom', tag), '.'], { cwd: folder });
  return name;
};
