/** A set of releases that work together: `postern 0.2.0` with the version and digests of each. */
import { readFileSync } from 'node:fs';
import { services } from '../setup/services.mjs';
import { git } from './worktree.mjs';

const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** What is wrong with a published release, as `field: reason`. */
function* mistakesIn({ service, version, image, chart }) {
  if (typeof service !== 'string') yield 'service: is missing';
  if (!/^\d+\.\d+\.\d+/.test(version ?? '')) yield 'version: is no version, such as 0.2.0';
  for (const [name, artifact] of Object.entries({ image, ...(chart ? { chart } : {}) })) {
    if (typeof artifact?.repository !== 'string') yield `${name}.repository: is missing`;
    if (!DIGEST.test(artifact?.digest ?? '')) yield `${name}.digest: is not sha256: and 64 hexadecimal digits`;
  }
  if (!Array.isArray(image?.architectures)) yield 'image.architectures: is not a list';
}

/** The published releases in a file: one, or those of a set. @throws with the file and the field that is wrong */
export const readPublished = file => {
  let content;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`${file} cannot be read as JSON: ${error.message}. publish.mjs and set.mjs write such files`);
  }
  const releases = content?.releases ?? [content];
  for (const release of releases) {
    const [mistake] = mistakesIn(release ?? {});
    if (mistake !== undefined) throw new Error(`${file}: ${release?.service ?? 'release'}: ${mistake}`);
  }
  return releases;
};

/** The set of published releases. @throws if a service is missing or occurs twice, with its name */
export const setOf = (root, version, published) => {
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version ?? '')) throw new Error(`${version} is not a version, such as 0.2.0`);
  const releases = services(root).map(({ name }) => {
    const found = published.filter(({ service }) => service === name);
    if (found.length === 1) return found[0];
    throw new Error(
      `name one published release of ${name}; there ${found.length === 0 ? 'is none' : `are ${found.length}`}`,
    );
  });
  return { version, releases };
};

/** The values of the postern chart that select the images of a set. @throws if they are in several registries */
export const valuesOf = ({ version, releases }) => {
  const images = releases
    .filter(({ chart }) => chart)
    .map(({ service, version: tag, image }) => {
      const [registry, ...path] = image.repository.split('/');
      return { service, tag, registry, repository: path.join('/'), digest: image.digest };
    });
  const registries = [...new Set(images.map(({ registry }) => registry))];
  if (registries.length !== 1) throw new Error(`the images are in several registries: ${registries.join(', ')}`);
  return [
    `# The images of Postern ${version}, written by tools/releases/set.mjs: helm upgrade … -f <this file>`,
    `global: { image: { registry: "${registries[0]}" } }`,
    ...images.map(
      ({ service, tag, repository, digest }) =>
        `${service}: { image: { repository: ${repository}, tag: "${tag}", digest: "${digest}" } }`,
    ),
    '',
  ].join('\n');
};

/**
 * The checkout has the settings and the permissions in NATS that the services get on one server, so it contains every release of the
 * set. @throws with the release that it does not contain
 */
export const demandSet = (root, { version, releases }) => {
  for (const { service, version: number } of releases) {
    const tag = `${service}@${number}`;
    try {
      git(root, 'merge-base', '--is-ancestor', `refs/tags/${tag}^{commit}`, 'HEAD');
    } catch {
      throw new Error(
        `postern ${version} has ${tag}, which this checkout does not contain: run "git fetch --tags", and check out the newest release`,
      );
    }
  }
};
