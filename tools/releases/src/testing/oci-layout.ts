import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Writes an OCI layout of one architecture, as buildx does, whose image has one layer. @returns its folder */
export const writeLayout = (folder: string, architecture: string, files: Buffer): string => {
  mkdirSync(join(folder, 'blobs/sha256'), { recursive: true });
  const blob = (mediaType: string, content: object | Buffer) => {
    const bytes = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content));
    writeFileSync(join(folder, 'blobs/sha256', sha256(bytes)), bytes);
    return { mediaType, digest: `sha256:${sha256(bytes)}`, size: bytes.length };
  };
  const layer = blob('application/vnd.oci.image.layer.v1.tar', files);
  const config = blob('application/vnd.oci.image.config.v1+json', {
    architecture,
    os: 'linux',
    config: { Entrypoint: ['node', 'main.js'] },
    rootfs: { type: 'layers', diff_ids: [layer.digest] },
  });
  const mediaType = 'application/vnd.oci.image.manifest.v1+json';
  const manifest = blob(mediaType, { schemaVersion: 2, mediaType, config, layers: [layer] });
  writeFileSync(join(folder, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests: [manifest] }));
  writeFileSync(join(folder, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  return folder;
};
