/** Images in folders, as `docker buildx build --output type=oci,tar=false` writes them. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { INDEX } from './registry.mjs';

const blobIn = (layout, digest) => {
  if (!/^sha256:[0-9a-f]{64}$/.test(digest)) throw new Error(`${layout} names ${digest}, which is no digest`);
  return readFileSync(join(layout, 'blobs/sha256', digest.slice('sha256:'.length)));
};

/** The manifests of the images of one architecture each in a layout; attestations of the builder are left out. */
const imagesIn = layout => {
  if (!existsSync(join(layout, 'index.json'))) throw new Error(`${layout} has no index.json: it is not an OCI layout`);
  const within = ({ mediaType, digest }) => {
    const bytes = blobIn(layout, digest);
    const manifest = JSON.parse(bytes.toString('utf8'));
    if (mediaType === INDEX || manifest.manifests) return manifest.manifests.flatMap(within);
    const { architecture, os } = JSON.parse(blobIn(layout, manifest.config.digest).toString('utf8'));
    return os === 'linux' ? [{ bytes, manifest, architecture }] : [];
  };
  return JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8')).manifests.flatMap(within);
};

/**
 * Pushes the images of layouts as one image of several architectures. @returns its digest and its architectures.
 * @throws if an architecture is missing or occurs twice
 */
export const pushLayouts = async (repository, layouts, { tag, architectures }) => {
  const images = layouts.flatMap(layout => imagesIn(layout).map(image => ({ layout, ...image })));
  const found = images.map(({ architecture }) => architecture).sort();
  if (found.join() !== [...architectures].sort().join())
    throw new Error(
      `${layouts.join(', ')} have images for ${found.join(', ') || 'nothing'}, not ${architectures.join(', ')}`,
    );
  const manifests = [];
  for (const { layout, bytes, manifest, architecture } of images) {
    for (const { digest, mediaType } of [manifest.config, ...manifest.layers])
      await repository.putBlob(blobIn(layout, digest), mediaType);
    manifests.push({ ...(await repository.putManifest(bytes)), platform: { os: 'linux', architecture } });
  }
  const { digest } = await repository.putManifest({ schemaVersion: 2, mediaType: INDEX, manifests }, tag);
  return { digest, architectures: found };
};
