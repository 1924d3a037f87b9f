/** Signatures in the format of cosign, which `cosign verify --key postern.pub --insecure-ignore-tlog` reads as well. */
import { createPrivateKey, createPublicKey, sign as signBytes, verify as verifyBytes } from 'node:crypto';
import { MANIFEST } from './registry.mjs';

const CONFIG = 'application/vnd.oci.image.config.v1+json';
const PAYLOAD = 'application/vnd.dev.cosign.simplesigning.v1+json';
const ANNOTATION = 'dev.cosignproject.cosign/signature';
const SBOM = 'application/vnd.cyclonedx+json';

const tagOf = (digest, kind) => `${digest.replace(':', '-')}.${kind}`;

/** An artifact: an image whose only layer is `layer`. */
const storeArtifact = async (repository, layer, tag) => {
  const config = { architecture: '', os: '', config: {}, rootfs: { type: 'layers', diff_ids: [layer.digest] } };
  const descriptor = await repository.putBlob(Buffer.from(JSON.stringify(config)), CONFIG);
  return repository.putManifest({ schemaVersion: 2, mediaType: MANIFEST, config: descriptor, layers: [layer] }, tag);
};

/** Signs what has this digest, with a private key of the curve P-256 (PEM). */
export const sign = async (repository, digest, key) => {
  const payload = Buffer.from(
    JSON.stringify({
      critical: {
        identity: { 'docker-reference': repository.name },
        image: { 'docker-manifest-digest': digest },
        type: 'cosign container image signature',
      },
      optional: null,
    }),
  );
  const signature = signBytes('sha256', payload, createPrivateKey(key)).toString('base64');
  const layer = await repository.putBlob(payload, PAYLOAD, { annotations: { [ANNOTATION]: signature } });
  await storeArtifact(repository, layer, tagOf(digest, 'sig'));
};

/** @throws unless the digest has a signature of the key (PEM). */
export const verify = async (repository, digest, publicKey) => {
  const where = `${repository.name}@${digest}`;
  const { layers } = await repository.manifest(tagOf(digest, 'sig')).catch(error => {
    throw new Error(`${where} has no signature: ${error.message}`);
  });
  const key = createPublicKey(publicKey);
  for (const { digest: content, annotations } of layers) {
    const payload = await repository.blob(content);
    const isOurs = verifyBytes('sha256', payload, key, Buffer.from(annotations?.[ANNOTATION] ?? '', 'base64'));
    const { critical } = JSON.parse(payload.toString('utf8'));
    if (isOurs && critical.image['docker-manifest-digest'] === digest) return;
  }
  throw new Error(`${where} is not signed with this key`);
};

/** Stores the list of packages beside an image, and signs it. */
export const attachSbom = async (repository, digest, sbom, key) => {
  const layer = await repository.putBlob(sbom, SBOM);
  const { digest: stored } = await storeArtifact(repository, layer, tagOf(digest, 'sbom'));
  await sign(repository, stored, key);
};

/** The list of packages of an image. @throws if it is not signed with the key */
export const sbomOf = async (repository, digest, publicKey) => {
  const { digest: stored, layers } = await repository.manifest(tagOf(digest, 'sbom'));
  await verify(repository, stored, publicKey);
  return JSON.parse((await repository.blob(layers[0].digest)).toString('utf8'));
};
